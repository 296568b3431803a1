import ts from "typescript";
import { expect, test } from "vitest";

/** The language and the shape of the pages: names say the thing, and nothing is long or deep. */

// A name made of one of these says that somebody spoke, and not what the value is.
const VAGUE = new Set(["told", "asked", "said", "heard", "wish", "wishes", "word", "words"]);
// A component or hook of more lines holds two ideas; a chain of more conditions has to be read twice.
const LONGEST_FUNCTION = 100;
const DEEPEST_CHOICE = 2;

// The types of the wire are generated.
const sources = import.meta.glob<string>(["../src/**/*.{ts,tsx}", "!../src/api/wire.ts"], {
  query: "?raw",
  import: "default",
  eager: true,
});
const files = Object.entries(sources).map(([path, text]) => {
  const kind = path.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind);
});

const place = (node: ts.Node) => {
  const file = node.getSourceFile();
  return `${file.fileName}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
};

function* nodes(node: ts.Node): Generator<ts.Node> {
  yield node;
  for (const child of node.getChildren()) yield* nodes(child);
}

const everywhere = files.flatMap((file) => [...nodes(file)]);

function nameOf(node: ts.Node): string | null {
  const isNamed =
    ts.isFunctionDeclaration(node) ||
    ts.isVariableDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isBindingElement(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isPropertySignature(node) ||
    ts.isMethodDeclaration(node);
  return isNamed && node.name && ts.isIdentifier(node.name) ? node.name.text : null;
}

test("a name says the thing and not that somebody spoke", () => {
  const isVague = (name: string) =>
    (name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []).some((part) => VAGUE.has(part.toLowerCase()));
  const found = everywhere.filter((node) => isVague(nameOf(node) ?? ""));
  expect(found.map((node) => `${place(node)} ${nameOf(node)}`)).toEqual([]);
});

test("a component fits on two screens", () => {
  const long = everywhere.filter(
    (node) => ts.isFunctionLike(node) && node.getText().split("\n").length >= LONGEST_FUNCTION,
  );
  expect(long.map(place)).toEqual([]);
});

function depth(node: ts.Node): number {
  if (ts.isParenthesizedExpression(node)) return depth(node.expression);
  if (!ts.isConditionalExpression(node)) return 0;
  return 1 + Math.max(depth(node.condition), depth(node.whenTrue), depth(node.whenFalse));
}

test("a choice between values is not a chain of choices", () => {
  expect(everywhere.filter((node) => depth(node) > DEEPEST_CHOICE).map(place)).toEqual([]);
});

test("what is open is known from its state and not looked up in the page", () => {
  const found = files.filter((file) => /querySelector(All)?\(["'`]?\[role=/.test(file.text));
  expect(found.map((file) => file.fileName)).toEqual([]);
});

test("no object of a library is overwritten when a file is imported", () => {
  const assigned = files.flatMap((file) =>
    file.statements.filter(
      (one) =>
        ts.isExpressionStatement(one) &&
        ts.isBinaryExpression(one.expression) &&
        one.expression.operatorToken.kind === ts.SyntaxKind.EqualsToken,
    ),
  );
  expect(assigned.map(place)).toEqual([]);
});

test("only one module knows which keys are the page's, and only one keeps results", () => {
  const using = (pattern: RegExp) => files.filter((file) => pattern.test(file.text)).map((file) => file.fileName);
  expect(using(/setQueryData<Results>|new Map<number, Page\[\]>/)).toEqual(["../src/api/results.ts"]);
  // The options of an editor have keys of their own while it holds the keyboard.
  expect(using(/useHotkeys\(/)).toEqual(["../src/components/keys.ts", "../src/pages/table/editor.tsx"]);
});

test("a comment is a sentence with a subject", () => {
  const halves = files.flatMap(
    (file) => file.text.match(/(?:^|\s)(?:\/\/|\/\*\*) (?:Of|By|Whoever|Whose)\b.*/gm) ?? [],
  );
  // A comment of several lines may break before such a word; a line alone has no sentence before it.
  const alone = halves.filter(
    (line) => !files.some((file) => new RegExp(`//.*\\n.*${escaped(line.trim())}`).test(file.text)),
  );
  expect(alone).toEqual([]);
});

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

test("there is something to look at", () => {
  expect(files.length).toBeGreaterThan(50);
});
