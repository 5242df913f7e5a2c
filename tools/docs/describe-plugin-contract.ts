import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MODULES = ['src/plugin/api.ts', 'src/plugin/testing.ts'];

const openProgram = (): ts.Program =>
  ts.createProgram(
    MODULES.map((path) => ROOT + path),
    {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      strict: true,
      types: ['node'],
    },
  );

/** Everything that plugins can import, with the first sentence of its docstring. */
export const describePluginContract = (): string => {
  const program = openProgram();
  const checker = program.getTypeChecker();
  return MODULES.flatMap((path) => sectionsOf(program.getSourceFile(ROOT + path)!, checker)).join(
    '\n',
  );
};

/**
 * The exports in lists. A comment of lines before one begins a section: its title, then its text.
 * `export *` lists what its module exports and no other statement names.
 */
const sectionsOf = (file: ts.SourceFile, checker: ts.TypeChecker): readonly string[] => {
  const statements = file.statements.filter(ts.isExportDeclaration);
  const named = new Set(statements.flatMap(namesIn).map(({ text }) => text));
  const restOf = (module: ts.Expression): readonly ts.Symbol[] =>
    checker
      .getExportsOfModule(checker.getSymbolAtLocation(module)!)
      .filter(({ name }) => !named.has(name))
      .sort((one, other) => one.name.localeCompare(other.name, 'en'));
  return statements.map((statement) => {
    const comments = ts.getLeadingCommentRanges(file.text, statement.pos) ?? [];
    const [title, ...text] = comments
      .filter(({ kind }) => kind === ts.SyntaxKind.SingleLineCommentTrivia)
      .map(({ pos, end }) => file.text.slice(pos, end).replace(/^\/\/ ?/, ''));
    const symbols = statement.exportClause
      ? namesIn(statement).map((name) => checker.getSymbolAtLocation(name)!)
      : restOf(statement.moduleSpecifier!);
    const list = symbols.map(
      (symbol) => `- \`${symbol.name}\`: ${summaryOf(resolved(symbol, checker), checker)}`,
    );
    const heading = title === undefined ? [] : [`\n## ${title}\n\n${text.join(' ')}\n`];
    return [...heading, ...list].join('\n');
  });
};

const namesIn = ({ exportClause }: ts.ExportDeclaration): readonly ts.ModuleExportName[] =>
  exportClause && ts.isNamedExports(exportClause)
    ? exportClause.elements.map(({ name }) => name)
    : [];

const resolved = (symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;

/** The first sentence of its docstring. */
const summaryOf = (symbol: ts.Symbol, checker: ts.TypeChecker): string => {
  const doc = ts.displayPartsToString(symbol.getDocumentationComment(checker));
  const [sentence = ''] = doc
    .trim()
    .replaceAll(/\s+/g, ' ')
    .split(/(?<=\.)(?= )/);
  return sentence || packageOf(symbol);
};

/** For what another package exports without a docstring. */
const packageOf = ({ declarations = [] }: ts.Symbol): string => {
  const file = declarations[0]?.getSourceFile().fileName ?? '';
  const [, name] = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file) ?? [];
  return name === undefined ? '' : `the package \`${name}\`, in the version of the gateway.`;
};
