/** A plugin as operators see it: whether it runs as it should. */
export interface PluginState {
  readonly name: string;
  readonly title: string;
  readonly version?: string;
  readonly health: { readonly ok: boolean; readonly message: string };
}
