/**
 * The directions of docs/architecture.md: main → app → features → topics → platform → contract; web, server and bench meet only
 * in the contract; features from low to high. Checked by `npm run check`.
 */

/** Low to high. On the server and in the console, a feature imports only earlier ones, and only through their index.ts. */
const features = [
  'activity',
  'objects',
  'accounts',
  'branding',
  'rights',
  'people',
  'signon',
  'provider',
  'apikeys',
  'jobs',
  'settings',
  'mailTemplates',
  'announcements',
  'drivers',
  'series',
  'twins',
  'reporting',
  'devices',
  'health',
  'groups',
  'overview',
  'batches',
  'files',
  'floors',
  'feedback',
  'ingest',
  'connectors',
  'letters',
  'downlinks',
  'remotes',
  'flows',
  'alarms',
  'tickets',
  'rules',
  'notifications',
  'alarmReports',
  'traces',
  'copies',
  'templates',
  'dashboards',
  'sharing',
  'exports',
  'fileTargets',
  'exportSchedules',
  'retention',
  'diskUsage',
  'terminal',
  'setup',
  'keys',
  'assets',
  'warnapp',
  'classic',
]

/** Screens of the console that belong to no feature of the server, after those whose parts they show. */
const consoleOnly = [
  // The wizard for a new device: connectors, devices at network servers, drivers and templates.
  'onboarding',
  // What the user opened last, and their favourites.
  'home',
  // Help and the reference of the API, with the form of `feedback`.
  'help',
]
const consoleFeatures = [...features, ...consoleOnly]

const server = '^packages/server/src'
const web = '^packages/web/src'
const notTests = { pathNot: '\\.test\\.tsx?$' }

// The parser's tree walker does not know `using` yet; such a declaration holds no import.
const { Visitor } = require('@swc/core/Visitor.js')
const visitStatement = Visitor.prototype.visitStatement
Visitor.prototype.visitStatement = function visit(statement) {
  return statement.type === 'UsingDeclaration' ? statement : visitStatement.call(this, statement)
}

module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'At run time there are no import cycles anywhere. Types may refer to each other.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'contract-stands-alone',
      comment: 'The contract imports zod and @orpc/contract, nothing else.',
      severity: 'error',
      from: { path: '^packages/contract/src', ...notTests },
      to: { pathNot: ['^packages/contract/src', 'node_modules/zod/', 'node_modules/@orpc/contract/'] },
    },
    {
      name: 'packages-meet-in-the-contract',
      severity: 'error',
      from: { path: '^packages/(server|web|bench)/' },
      to: { path: '^packages/(server|web|bench)/', pathNot: '^packages/$1/' },
    },
    {
      name: 'platform-knows-no-feature',
      comment: 'The platform has never heard of a device.',
      severity: 'error',
      from: { path: `${server}/platform`, ...notTests },
      to: { path: `${server}/(features|topics|app\\.ts|main\\.ts)` },
    },
    {
      name: 'topics-know-no-feature',
      comment: 'Every feature may append or consume every topic, so topics know none of them.',
      severity: 'error',
      from: { path: `${server}/topics/`, ...notTests },
      to: {
        path: 'packages/',
        pathNot: [`${server}/topics/`, `${server}/platform/events/topic\\.ts$`, '^packages/contract/src'],
      },
    },
    {
      name: 'large-and-rarely-needed',
      comment: 'What few installations need is loaded by the first who asks for it, not by every start.',
      severity: 'error',
      from: { path: server, ...notTests },
      to: { path: 'node_modules/oidc-provider/', dependencyTypesNot: ['type-only', 'dynamic-import'] },
    },
    {
      name: 'features-do-not-know-the-app',
      severity: 'error',
      from: { path: `${server}/features`, ...notTests },
      to: { path: `${server}/(app|main)\\.ts` },
    },
    {
      name: 'features-through-the-door',
      comment: 'Another feature is imported through its index.ts only.',
      severity: 'error',
      from: { path: `${server}/features/([^/]+)/`, ...notTests },
      to: {
        path: `${server}/features/[^/]+/`,
        pathNot: [`${server}/features/$1/`, `${server}/features/[^/]+/index\\.ts$`],
      },
    },
    {
      name: 'app-through-the-door',
      severity: 'error',
      from: { path: `${server}/(app|main)\\.ts` },
      to: { path: `${server}/features/[^/]+/`, pathNot: `${server}/features/[^/]+/index\\.ts$` },
    },
    ...features.slice(0, -1).map((feature, index) => ({
      name: `feature-order-${feature}`,
      comment: 'A feature imports only those before it; upwards it appends an event.',
      severity: 'error',
      from: { path: `${server}/features/${feature}/`, ...notTests },
      to: { path: `${server}/features/(${features.slice(index + 1).join('|')})/` },
    })),
    {
      name: 'known-features-only',
      comment: 'A new feature gets its place in the list above.',
      severity: 'error',
      from: {},
      to: { path: `${server}/features/[^/]+/`, pathNot: `${server}/features/(${features.join('|')})/` },
    },
    {
      name: 'server-code-needs-no-tests',
      comment: 'What runs in production does not import the test kit.',
      severity: 'error',
      from: { path: '^packages/[^/]+/src', ...notTests },
      to: { path: ['\\.test\\.tsx?$', '^packages/server/test/'] },
    },
    {
      name: 'web-ui-knows-no-feature',
      severity: 'error',
      from: { path: `${web}/(ui|lib)/`, ...notTests },
      to: { path: `${web}/(features|app)/` },
    },
    {
      name: 'web-features-do-not-know-the-app',
      severity: 'error',
      from: { path: `${web}/features/`, ...notTests },
      to: { path: `${web}/(app/|main\\.tsx)` },
    },
    {
      name: 'web-features-through-the-door',
      comment: 'Another feature is imported through its index.ts or pure.ts, which loads no screens, only.',
      severity: 'error',
      from: { path: `${web}/features/([^/]+)/`, ...notTests },
      to: {
        path: `${web}/features/[^/]+/`,
        pathNot: [`${web}/features/$1/`, `${web}/features/[^/]+/(index|pure)\\.ts$`],
      },
    },
    {
      name: 'web-app-through-the-doors',
      comment:
        'The app imports screens.ts, whose screens are loaded when they are opened; only slots.ts imports index.ts.',
      severity: 'error',
      from: { path: `${web}/(app/|main\\.tsx)`, pathNot: ['\\.test\\.tsx?$', `${web}/app/slots\\.ts$`] },
      to: { path: `${web}/features/`, pathNot: `${web}/features/[^/]+/screens\\.ts$` },
    },
    {
      name: 'web-slots-through-the-door',
      comment: 'slots.ts connects slots with their parts, both from the index.ts of a feature.',
      severity: 'error',
      from: { path: `${web}/app/slots\\.ts$` },
      to: { path: `${web}/features/`, pathNot: `${web}/features/[^/]+/index\\.ts$` },
    },
    ...consoleFeatures.slice(0, -1).map((feature, index) => ({
      name: `web-feature-order-${feature}`,
      comment: 'A feature imports only those before it; later ones fill its slots (app/slots.ts).',
      severity: 'error',
      from: { path: `${web}/features/${feature}/`, ...notTests },
      to: { path: `${web}/features/(${consoleFeatures.slice(index + 1).join('|')})/` },
    })),
    {
      name: 'web-known-features-only',
      comment:
        'A folder of the console has the name of the feature of the server, or a place in consoleOnly.',
      severity: 'error',
      from: {},
      to: { path: `${web}/features/[^/]+/`, pathNot: `${web}/features/(${consoleFeatures.join('|')})/` },
    },
    {
      name: 'no-development-dependencies',
      comment: 'What runs in production does not need devDependencies.',
      severity: 'error',
      from: { path: '^packages/(contract|server)/src', ...notTests },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|data)/' },
    // TypeScript 7 has no interface for tools yet.
    parser: 'swc',
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.json'],
    },
  },
}
