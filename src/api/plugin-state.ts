/** A plugin and its health, for operators. */
export interface PluginState {
  readonly name: string;
  readonly title: string;
  readonly version?: string;
  readonly health: { readonly ok: boolean; readonly message: string };
}
