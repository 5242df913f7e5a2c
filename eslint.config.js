import js from '@eslint/js';
import rxjs from 'eslint-plugin-rxjs-x';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  {
    ignores: [
      'dist',
      'coverage',
      '.rollgate',
      'connectors/template',
      'examples/template',
      'deploy',
      '**/*.cjs',
      'eslint.config.js',
      // Generated.
      'src/client/generated',
    ],
  },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  {
    plugins: { 'rxjs-x': rxjs },
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: true },
      ],
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      'rxjs-x/no-ignored-error': 'error',
      'rxjs-x/no-nested-subscribe': 'error',
      'rxjs-x/no-exposed-subjects': 'error',
      'rxjs-x/no-unsafe-catch': 'off',
      'no-control-regex': 'off',
      'max-params': ['error', 4],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
  {
    // A step of a run is read as a whole.
    files: ['plugins/connectors/**'],
    rules: {
      'max-lines-per-function': ['error', { max: 80, skipBlankLines: false, skipComments: false }],
    },
  },
  {
    // Text of users reaches the page as text only; a strict policy refuses the rest.
    files: ['plugins/dashboard/app/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector:
            'MemberExpression[property.name=/^(innerHTML|outerHTML|insertAdjacentHTML|srcdoc)$/]',
          message: 'Never parse text as HTML: render elements.',
        },
        {
          selector: 'JSXAttribute[name.name=/^(dangerouslySetInnerHTML|srcdoc)$/i]',
          message: 'Never parse text as HTML: render elements.',
        },
        {
          selector: 'JSXAttribute[name.name="style"]',
          message: 'The policy allows no inline style: use a class.',
        },
      ],
      'no-restricted-globals': ['error', 'eval', 'Function'],
    },
  },
  {
    files: ['test/**', 'tools/**'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-floating-promises': 'error',
      'max-params': 'off',
    },
  },
);
