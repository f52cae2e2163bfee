import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { compressed } from './build/compress.ts'
import { firstFiles } from './build/firstFiles.ts'
import { nodeWithTypes } from './build/node.ts'
import { offlinePage } from './build/offlinePage.ts'
import { pureContract } from './build/pureContract.ts'

const apiUrl = process.env.API_URL ?? 'http://127.0.0.1:8080'
const contractEntry = fileURLToPath(new URL('../contract/src/index.ts', import.meta.url))

/**
 * Provides `virtual:contract`: the routes of the contract (method, path, structure, how long to wait) without its schemas.
 * The client needs only these to speak to the API; zod and the schemas (over 60 kB gzipped) stay out of the first load.
 * The contract is read by a fresh Node process each time, so that a change of it is seen while Vite keeps running.
 */
function contractRoutes(): Plugin {
  const id = '\0virtual:contract'
  const script = `
    const { contract } = await import(${JSON.stringify(contractEntry)})
    const strip = (node) => {
      const def = node?.['~orpc']
      if (def) {
        const { method, path, inputStructure, outputStructure } = def.route
        const { clientTimeoutMs } = def.meta
        return [method, path, inputStructure ?? '', outputStructure ?? '', clientTimeoutMs ?? ''].join(' ').trimEnd()
      }
      return Object.fromEntries(Object.entries(node).map(([key, child]) => [key, strip(child)]))
    }
    process.stdout.write(JSON.stringify(strip(contract)))
  `
  return {
    name: 'leitstand-contract-routes',
    resolveId: (source) => (source === 'virtual:contract' ? id : undefined),
    load(source) {
      if (source !== id) return undefined
      this.addWatchFile(contractEntry)
      const json = execFileSync(nodeWithTypes(), ['--input-type=module', '--eval', script], {
        encoding: 'utf8',
        cwd: fileURLToPath(new URL('.', import.meta.url)),
        maxBuffer: 16 * 1024 * 1024,
      })
      // An operation is one line until it is read: the routes are the largest part of the first load that is not code.
      return `
        const operation = (line) => {
          const [method, path, inputStructure, outputStructure, timeout] = line.split(' ')
          const route = { method, path, inputStructure: inputStructure || undefined, outputStructure: outputStructure || undefined }
          return { '~orpc': { errorMap: {}, meta: { clientTimeoutMs: timeout ? Number(timeout) : undefined }, route } }
        }
        const open = (node) =>
          typeof node === 'string'
            ? operation(node)
            : Object.fromEntries(Object.entries(node).map(([key, child]) => [key, open(child)]))
        export default open(JSON.parse(${JSON.stringify(json)}))`
    },
    handleHotUpdate({ file, server }) {
      if (!file.includes('/packages/contract/src/')) return
      const module = server.moduleGraph.getModuleById(id)
      if (module) server.moduleGraph.invalidateModule(module)
      server.ws.send({ type: 'full-reload' })
    },
  }
}

/** Areas of the texts that the first screens need; all others are fetched beside them. */
const firstAreas = new Set([
  'common',
  'nav',
  'footer',
  'live',
  'health',
  'palette',
  'auth',
  'errorPage',
  'home',
])

/** Errors that no first screen can get; they are read with the other texts. */
const laterErrors =
  /^(2FA_(ENABLED|NOT|SETUP)|ABAC|ACTIVATION|AGGREGATE|ALARM|ANNOUNCEMENT|API_(KEY|LIMIT)|APPLICATION|ASSET|AUTH_(IMPERSONATING|LOOKING|NOT_IMPER)|BACKGROUND_JOB|BODY_(NOT|TYPE)|BRAND|BRIDGE|BULK|CALCULAT|CONNECTOR|DASHBOARD|DDR|DEAD_LETTER|DEMO|DEVICE|DOWNLINK|DRIVER|DTWIN|END_IN|EXCHANGE|EXPORT|FILE|GEOCODER|HEALTH_ENTRY|IMPORT|INFLUX|INTEGRATION|INVALID_(DATE|JSON|REDIRECT)|KEY|LOCK|MAIL|MAINTENANCE|MAX_USER|MODULE|NOTIFICATION|OUTGOING|PACKET|PARSER|PRINT|PUSH|REMOTE|RESET|ROUTING|SCOPE|SCRIPT|SERVICE_BUILDER|SESSION|SHARE|SMART_GROUP|TERMINAL|TICKET|TENANT_(DELETE|NOT_FOUND|DEVICE|DOMAIN|DUPLICATE|FILE|MOVE|ROOT|TEMPLATE)|TOO_MANY_VARIABLES|TRACE|USER_(DUPLICATE|HAS_PASSWORD|IN_ACCOUNT|LAST_ADMIN|MAY_DO|NOT_FOUND|PASSWORD|RELATION|SELF|WITHOUT)|VALUE|VDEVICE|VERSION|WARN|WIDGET)/

/** Screens that are in no menu, some because they are not built yet: their titles are read with the other texts, which every screen but the first ones waits for. */
const laterTitles =
  /^(resetPassword|changePassword|ruleMail|oauth|public\w+|print|imprint|manual(Page)?|privacy|terms|setup|account|user(Create|Bulk|Edit)|twin(List|Map)?|trace|dashboard|asset(Map)?|zones|warnappViewer|driver(Library)?|libraryDriver|device(Map|Group|GroupMap|Template)?|alarmAnalysis|connector(Create)?|drawerLinks|featureFlags|transformer(s|Create)?|flow(s|Filters)|fmTicketSuccess|classic(Monitoring|Applications?|Consumers?|DataSources?|Devices?|DeviceTypes?|DeviceUpload|Gateways?|GatewayMap|Originators?))$/

/**
 * Provides `virtual:texts/<language>/first` and `…/rest`: the locale files cut in two, so that the first load does not
 * grow with every screen. Of `screens`, the first part holds only the titles, which the drawer shows. `…/all` is both,
 * for sessions that start at another screen.
 */
function localeParts(): Plugin {
  const prefix = '\0virtual:texts/'
  return {
    name: 'leitstand-locale-parts',
    resolveId: (source) => (source.startsWith('virtual:texts/') ? `\0${source}` : undefined),
    load(source) {
      if (!source.startsWith(prefix)) return undefined
      const [language, part] = source.slice(prefix.length).split('/')
      const file = fileURLToPath(new URL(`./src/locales/${language}.json`, import.meta.url))
      this.addWatchFile(file)
      const json = readFileSync(file, 'utf8')
      if (part === 'all')
        return `export default JSON.parse(${JSON.stringify(JSON.stringify(JSON.parse(json)))})`
      const { screens, errors, ...areas } = JSON.parse(json) as Record<string, Record<string, unknown>>
      const wanted = Object.entries(areas).filter(([area]) => firstAreas.has(area) === (part === 'first'))
      const isFirst = part === 'first'
      const cut = Object.entries(screens as Record<string, Record<string, string>>).flatMap(
        ([key, texts]) => {
          if (laterTitles.test(key)) return isFirst ? [] : [[key, texts]]
          const field = isFirst ? 'title' : 'holds'
          return texts[field] === undefined ? [] : [[key, { [field]: texts[field] }]]
        },
      )
      const failures = Object.entries(errors as Record<string, string>).filter(
        ([code]) => laterErrors.test(code) === (part === 'rest'),
      )
      const texts = {
        ...Object.fromEntries(wanted),
        screens: Object.fromEntries(cut),
        errors: Object.fromEntries(failures),
      }
      return `export default JSON.parse(${JSON.stringify(JSON.stringify(texts))})`
    },
  }
}

const { version } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8')) as {
  version: string
}

/** The features of an area of the console: users who open one of their screens soon open another. */
const areas = {
  operating: [
    'alarmReports',
    'alarms',
    'dashboards',
    'devices',
    'drivers',
    'exportSchedules',
    'groups',
    'jobs',
    'keys',
    'overview',
    'rules',
    'sharing',
    'templates',
    'tickets',
    'assets',
    'traces',
    'twins',
    'warnapp',
  ],
  administration: [
    'accounts',
    'announcements',
    'connectors',
    'help',
    'people',
    'provider',
    'rights',
    'settings',
    'setup',
  ],
}

/** Screens of an area with what a dashboard shows at once, but not the smallest pages without drawer and toolbar. */
const screensOf = (features: readonly string[]) =>
  new RegExp(
    `/web/src/(ui/map/(LayoutMenu|MapNotice|PlaceList|useBaseMap)|features/(${features.join('|')})/(?!ErrorPage|RuleMailPage)(.*Page|smart/(FilterWords|GroupCard|LowDevices|queries|filterState)|PublicFrame|SharedStates|TwinList|WidgetBody|widgets/.*/(.*View|Tiles|Gauges|TwinTable)))\\.tsx?$`,
  )

const chunkGroups = [
  // The start: libraries, and our own.
  { name: 'core', tags: ['$initial' as const], test: /node_modules/ },
  {
    name: 'base',
    test: /\/web\/src\/(main\.|app\/App\.|lib\/slot|ui\/display\/Mark\.|features\/people\/(index|slots|parts)\.)|\/@tanstack\/(query-core|react-query)\/(?!.*(Queries|queries|nfinite))|\/components\/(Alert|CloseButton|Divider|Input|InputBase|TextInput|PasswordInput)\/|\/(use-uncontrolled|use-computed-color-scheme|Icon(AlertCircle|Sun|Moon|Language|Lock|ShieldCheck|WifiOff))\./,
  },
  { name: 'signin', test: /\/signon\/LoginPage\./ },
  {
    name: 'frame',
    test: /\/web\/src\/(app\/Shell|features\/home\/HomePage|ui\/display\/(Badges|HealthCounts)|features\/alarms\/(pure|AlarmTending|useTend|alarms\.module))\.|\/components\/Group\/|\/Icon(History|CircleCheck|ChevronRight|MailOff)\./,
  },
  {
    name: 'screens',
    test: /\/web\/src\/(ui\/list\/|ui\/page\/DetailPage|ui\/forms\/(FormLayout|foundOptions)|app\/slots\.)|\/node_modules\/(zod|@dnd-kit|@mantine\/form)\//,
  },
  ...Object.entries(areas).map(([name, features]) => ({ name, test: screensOf(features) })),
  // What is loaded on demand.
  { name: 'shared', minShareCount: 3, test: /^(?!.*\/contract\/)/, maxModuleSize: 60_000 },
  { name: featureOf, minShareCount: 2 },
].map((group, index) => ({ ...group, priority: 100 - index }))

/**
 * Files of which nearly every function runs before the first screen is shown. Chromium compiles all of them while it still reads
 * the file, beside the page's own work, and keeps all of them for the next visit; else it compiles each with its first call.
 */
const neededAtStart = new Set(['core', 'base', 'frame'])

/** What several dialogs and tabs of a feature share. */
function featureOf(id: string): string | null {
  return /\/web\/src\/features\/(\w+)\//.exec(id)?.[1] ?? null
}

export default defineConfig({
  define: { __APP_VERSION__: JSON.stringify(version) },
  plugins: [
    react(),
    pureContract(),
    contractRoutes(),
    localeParts(),
    firstFiles(),
    ...offlinePage(),
    compressed(),
  ],
  worker: { format: 'es' },
  build: {
    target: 'es2022',
    sourcemap: true,
    chunkSizeWarningLimit: 1200,
    // One file for all screens, instead of one more for each part of a screen.
    cssCodeSplit: false,
    // Every browser that runs this target knows modulepreload.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: { groups: chunkGroups },
        postBanner: ({ name }) => (neededAtStart.has(name) ? '//# allFunctionsCalledOnLoad' : ''),
      },
    },
  },
  server: {
    port: Number(process.env.WEB_PORT ?? 5173),
    strictPort: true,
    proxy: {
      '/api': { target: apiUrl, changeOrigin: false, ws: true },
      '/oauth2': { target: apiUrl },
      '/healthz': { target: apiUrl },
      '/map/tiles': { target: apiUrl },
    },
  },
})
