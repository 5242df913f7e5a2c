import { Link } from 'wouter-preact';

const initialsOf = (name: string): string => {
  const words = name.split(/\s+/).filter((word) => word !== '');
  const [first = '', last = ''] = [words[0], words.length > 1 ? words.at(-1) : ''];
  return `${[...first][0] ?? ''}${[...last][0] ?? ''}`.toUpperCase();
};

/** A person: name over e-mail; opens their page. */
export const UserName = ({
  href,
  name,
  detail,
}: {
  readonly href: string;
  readonly name: string;
  readonly detail?: string | null;
}) => (
  <span class="user-name">
    <span class="avatar" aria-hidden="true">
      {initialsOf(name)}
    </span>
    <span class="user-name-text">
      <Link class="row-link" href={href}>
        {name}
      </Link>
      {detail != null && <small>{detail}</small>}
    </span>
  </span>
);
