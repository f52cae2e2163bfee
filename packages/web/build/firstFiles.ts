import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import { firstScreens } from '../src/lib/firstScreens.ts'
import { nodeWithTypes } from './node.ts'

const web = fileURLToPath(new URL('..', import.meta.url))
/** Its texts are the longest. */
const german = 'de'
const placeholder = 'const table = null'

/** What a screen shows at once, though its code asks for it on demand. */
const atOnce: Record<string, readonly string[]> = {
  '/home': ['features/home/Overview.tsx'],
  '/dashboards/$id': ['ui/chart/EChart.tsx'],
  '/virtual-devices/map': ['ui/map/MapLibreView.tsx'],
  '/digitaltwin-mgmt/map/twin/$twinId': ['ui/map/MapLibreView.tsx'],
}

interface Screen {
  path: string
  layout: 'shell' | 'plain' | 'bare'
  isPublic: boolean
  /** below `src` */
  module: string
  asks: string[]
  isList: boolean
}

/** The table of all screens, `src/app/routes.ts`, read by a Node that knows TypeScript. */
function readScreens(): Screen[] {
  const script = `
    const { readdirSync, existsSync } = await import('node:fs')
    const { screens } = await import('./src/app/routes.ts')
    const { asks } = await import('./src/app/asks.ts')
    const modules = new Map()
    for (const feature of readdirSync('src/features')) {
      if (!existsSync('src/features/' + feature + '/screens.ts')) continue
      for (const load of Object.values(await import('./src/features/' + feature + '/screens.ts')))
        modules.set(load, 'features/' + feature + '/' + /import\\(['"]\\.\\/(.+?)['"]\\)/.exec(String(load))[1])
    }
    const rows = screens.filter(({ load }) => load).map(({ path, layout, rule, load }) => ({
      path, layout, isPublic: rule === 'public', module: modules.get(load),
      asks: asks[path]?.calls ?? [], isList: asks[path]?.isList ?? false,
    }))
    process.stdout.write(JSON.stringify(rows))
  `
  const json = execFileSync(nodeWithTypes(), ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
    cwd: web,
  })
  return JSON.parse(json) as Screen[]
}

const parametersIn = (path: string) => path.split('$').length

/**
 * Gives `public/boot.js` the files that each screen needs, so that they are requested at once and not one after the other,
 * and writes them to `dist/.vite/first-files.json` for `scripts/check-size.mjs`.
 */
export function firstFiles(): Plugin {
  return {
    name: 'leitstand-first-files',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
        const chunkOf = (module: string) => {
          const found = chunks.find(({ moduleIds }) =>
            moduleIds.some((id) => id === `${web}src/${module}` || id === `\0${module}`),
          )
          if (!found) this.error(`The build has no chunk for ${module}`)
          return found.fileName
        }
        const collect = (name: string, files: Set<string>) => {
          if (files.has(name)) return files
          files.add(name)
          const chunk = bundle[name]
          if (chunk?.type === 'chunk') for (const imported of chunk.imports) collect(imported, files)
          return files
        }
        const start = collect(chunkOf('main.tsx'), new Set())
        const font = Object.keys(bundle).find((name) => /inter-latin-wght-normal.*\.woff2$/.test(name))
        const styles = Object.keys(bundle).filter((name) => name.endsWith('.css'))
        if (!font) this.error('The build has no font')
        const closure = (modules: readonly string[]) => {
          const files = new Set<string>()
          for (const each of modules) collect(chunkOf(each), files)
          return [...files].filter((file) => !start.has(file))
        }
        const filesOf = ({ path, layout, module }: Screen) => {
          const first = closure([
            ...(layout === 'shell' ? ['app/Shell.tsx'] : []),
            ...(firstScreens.includes(path) ? [] : ['app/slots.ts', 'ui/forms/foundOptions.ts']),
            module,
          ])
          return { first, files: [...new Set([...first, ...closure(atOnce[path] ?? [])])] }
        }
        const screens = readScreens()
          .map((screen) => ({ ...screen, ...filesOf(screen), texts: textsOf(screen.path) }))
          .sort((one, other) => parametersIn(one.path) - parametersIn(other.path))
        const names = [...new Set(screens.flatMap(({ files }) => files))]
        const texts = Object.fromEntries(
          [german, 'en'].map((language) => [
            language,
            Object.fromEntries(
              ['first', 'rest', 'all'].map((part) => [
                part,
                `/${chunkOf(`virtual:texts/${language}/${part}`)}`,
              ]),
            ),
          ]),
        )
        const table = {
          files: names.map((name) => `/${name}`),
          font: `/${font}`,
          texts,
          screens: screens.map(({ path, isPublic, asks, isList, files, texts: parts }) => ({
            path,
            isPublic,
            asks,
            isList,
            texts: parts,
            files: files.map((file) => names.indexOf(file)),
          })),
        }
        const boot = readFileSync(`${web}public/boot.js`, 'utf8')
        if (!boot.includes(placeholder)) this.error(`public/boot.js has no line "${placeholder}"`)
        const reference = this.emitFile({
          type: 'asset',
          name: 'boot.js',
          source: boot.replace(placeholder, () => `const table = ${JSON.stringify(table)}`),
        })
        const page = bundle['index.html']
        if (page?.type !== 'asset') this.error('The build has no page')
        page.source = String(page.source).replace('/boot.js', `/${this.getFileName(reference)}`)
        const icon = readFileSync(`${web}public/favicon.svg`).toString('base64')
        page.source = page.source.replace('"/favicon.svg"', `"data:image/svg+xml;base64,${icon}"`)
        const always = ['index.html', this.getFileName(reference), font, ...styles, ...start]
        this.emitFile({
          type: 'asset',
          fileName: '.vite/first-files.json',
          source: JSON.stringify(
            screens.map(({ path, first, files, texts: parts }) => {
              const textFiles = parts.map((part) => texts[german]?.[part]?.slice(1) ?? '')
              return {
                path,
                files: [...always, ...textFiles, ...files],
                later: [...textFiles.slice(1), ...files.filter((file) => !first.includes(file))],
              }
            }),
          ),
        })
      },
    },
  }
}

function textsOf(path: string): string[] {
  if (path === '/home') return ['first', 'rest']
  return firstScreens.includes(path) ? ['first'] : ['all']
}
