import { Dialog } from './dialog.tsx';

const SHORTCUTS = [
  [['Ctrl K', '⌘K', '/'], 'Search people, rooms, pages and actions'],
  [['?'], 'Show these shortcuts'],
  [['↑', '↓'], 'Choose a result or an action of a menu'],
  [['↵'], 'Open it'],
  [['Esc'], 'Close a dialog, a menu or the search'],
] as const;

const Shortcuts = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog title="Keyboard shortcuts" onClose={onClose}>
    <dl class="values">
      {SHORTCUTS.map(([keys, meaning]) => (
        <div key={meaning}>
          <dt class="cluster">
            {keys.map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  </Dialog>
);

export default Shortcuts;
