/** A section of the configuration that works once the folder has a file. */
export const exampleSection = (slug: string): string => `connectors:
  hr-export:
    use: csv
    tenant: ${slug}
    settings:
      folder: /srv/hr
      files: people-*.csv`;
