import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The value of `NAME`, or of `NAME.property`, in a source file; throws if it is not a number there. */
export const readConstant = (path: string, name: string): number => {
  const source = ts.createSourceFile(
    path,
    readFileSync(ROOT + path, 'utf8'),
    ts.ScriptTarget.Latest,
  );
  const valueOf = (node: ts.Expression): number => {
    if (ts.isNumericLiteral(node)) return Number(node.text.replaceAll('_', ''));
    if (ts.isIdentifier(node)) return valueOf(declared(node.text));
    if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression))
      return valueOf(propertyOf(declared(node.expression.text), node.name.text));
    if (ts.isParenthesizedExpression(node)) return valueOf(node.expression);
    if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.AsteriskToken)
      return valueOf(node.left) * valueOf(node.right);
    throw new Error(`${name} in ${path} is no number.`);
  };
  const declared = (constant: string): ts.Expression => {
    const found = source.statements
      .filter(ts.isVariableStatement)
      .flatMap(({ declarationList }) => [...declarationList.declarations])
      .find((one) => ts.isIdentifier(one.name) && one.name.text === constant);
    if (!found?.initializer) throw new Error(`${path} declares no constant ${constant}.`);
    return found.initializer;
  };
  const propertyOf = (value: ts.Expression, property: string): ts.Expression => {
    const object = ts.isAsExpression(value) ? value.expression : value;
    const found = ts.isObjectLiteralExpression(object)
      ? object.properties
          .filter(ts.isPropertyAssignment)
          .find((one) => ts.isIdentifier(one.name) && one.name.text === property)
      : undefined;
    if (!found) throw new Error(`${name} in ${path} has no ${property}.`);
    return found.initializer;
  };
  const [constant = '', ...properties] = name.split('.');
  return valueOf(properties.reduce(propertyOf, declared(constant)));
};
