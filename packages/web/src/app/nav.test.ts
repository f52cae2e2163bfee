import { describe, expect, test } from 'vitest'
import de from '../locales/de.json' with { type: 'json' }
import en from '../locales/en.json' with { type: 'json' }
import { activeNavPath, navigation, navLabel, visibleNavigation } from './nav.ts'
import { screenByPath, screens } from './routes.ts'

const everything = { mayOpen: () => true, flag: () => false }

/** Built screens need no placeholder text. */
function hasOwnText(screen: (typeof screens)[number]): boolean {
  return screen.load !== undefined
}

function paths(groups: ReturnType<typeof visibleNavigation>): string[] {
  return groups.flatMap((group) =>
    group.items.flatMap((item) => item.children?.map((child) => child.path) ?? [item.path]),
  )
}

describe('the table of screens', () => {
  test('names every path once', () => {
    expect(new Set(screens.map((screen) => screen.path)).size).toBe(screens.length)
    expect(new Set(screens.map((screen) => screen.key)).size).toBe(screens.length)
  })

  test.each([
    ['de', de.screens],
    ['en', en.screens],
  ])('has a title and, until it is built, its purpose in %s', (_language, texts) => {
    const known = texts as Record<string, { title: string; holds?: string } | undefined>
    for (const screen of screens) {
      expect(known[screen.key]?.title, screen.path).toBeTruthy()
      // A built screen must no longer have a placeholder text.
      expect(known[screen.key]?.holds === undefined, screen.path).toBe(hasOwnText(screen))
    }
  })
})

describe('the drawer', () => {
  test('leads only to screens of the table that need no parameter', () => {
    for (const path of paths(visibleNavigation(navigation, everything))) {
      expect(screenByPath(path), path).toBeDefined()
      expect(path).not.toContain('$')
    }
  })

  test('shows a user only what they may open, and no empty group', () => {
    const allowed = new Set(['/home', '/virtual-device-drivers', '/help'])
    const shown = visibleNavigation(navigation, { mayOpen: (path) => allowed.has(path), flag: () => false })
    expect(paths(shown)).toEqual(['/home', '/virtual-device-drivers', '/help'])
    expect(shown.map((group) => group.key)).toEqual(['applications', 'connectivity', 'help'])
  })

  test('a parent leads to its first open child', () => {
    const shown = visibleNavigation(navigation, {
      mayOpen: (path) => path === '/device-templates',
      flag: () => false,
    })
    expect(shown[0]?.items[0]?.path).toBe('/device-templates')
  })

  test('feature flags hide and show', () => {
    const keys = visibleNavigation(navigation, {
      mayOpen: () => true,
      flag: (name) => name === 'hasAccessKeys',
    })
    expect(paths(keys)).toContain('/fm-access')
    expect(paths(visibleNavigation(navigation, everything))).not.toContain('/fm-access')
    const hidden = visibleNavigation(navigation, {
      mayOpen: () => true,
      flag: (name) => name === 'hideIotHub',
    })
    expect(hidden.flatMap((group) => group.items).map(navLabel)).not.toContain('nav.dataHub')
  })

  test.each([
    ['/virtual-devices/12', '/virtual-devices'],
    ['/virtual-device-drivers/3', '/virtual-device-drivers'],
    ['/connectors/edit/1/4', '/connectors/list'],
    ['/connectors/create', '/connectors/list'],
    ['/digitaltwin-mgmt/map/twin/3', '/digitaltwin-mgmt'],
    ['/nowhere', undefined],
  ])('%s belongs to %s', (pathname, entry) => {
    expect(activeNavPath(navigation, pathname)).toBe(entry)
  })
})
