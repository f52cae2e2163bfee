import { isAllowed } from '@leitstand/contract/permissions'
import { describe, expect, test } from 'vitest'
import de from '../locales/de.json' with { type: 'json' }
import en from '../locales/en.json' with { type: 'json' }
import { activeNavPath, entryRules, navigation, visibleNavigation } from './nav.ts'
import { screenByPath, screens } from './routes.ts'

/** Who has every permission. */
const everything = {
  mayOpen: (path: string) =>
    isAllowed(entryRules[path] ?? screenByPath(path)?.rule ?? 'session', true, () => true),
  flag: () => false,
}

/** Built screens need no placeholder text. */
function hasOwnText(screen: (typeof screens)[number]): boolean {
  return screen.load !== undefined
}

function paths(groups: ReturnType<typeof visibleNavigation>): string[] {
  return groups.flatMap((group) => group.items.map(({ path }) => path))
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
    const allowed = new Set(['/home', '/virtual-device-drivers', '/is-warnapp-admin', '/help'])
    const shown = visibleNavigation(navigation, { mayOpen: (path) => allowed.has(path), flag: () => false })
    expect(paths(shown)).toEqual(['/home', '/virtual-device-drivers', '/is-warnapp-admin', '/help'])
    expect(shown.map((group) => group.key)).toEqual(['watch', 'connect', 'facility', 'help'])
  })

  test('shows no screen that is not built', () => {
    const shown = paths(visibleNavigation(navigation, { mayOpen: () => true, flag: () => true }))
    expect(shown.filter((path) => screenByPath(path)?.load === undefined)).toEqual([])
    const named = paths([...navigation])
    expect(named.some((path) => screenByPath(path)?.load === undefined)).toBe(true)
  })

  test('names every built screen that needs no parameter, once', () => {
    const named = paths([...navigation])
    expect(new Set(named).size).toBe(named.length)
    // These are reached from the screens they are a part of.
    const parts = [
      'twinList',
      'deviceMap',
      'deviceGroupMap',
      'driverLibrary',
      'connectorCreate',
      'trace',
      'alarmAnalysis',
      'drawerLinks',
      'fmTicketSuccess',
      'zones',
      'assetMap',
      'setup',
      'featureFlags',
    ]
    const missing = screens.filter(
      ({ path, key, layout, load }) =>
        layout === 'shell' && load && !path.includes('$') && !named.includes(path) && !parts.includes(key),
    )
    expect(missing.map(({ key }) => key)).toEqual([])
  })

  test('honours flags, their negation, and swaps an entry only for a screen that is built', () => {
    const icon = navigation[0]?.items[0]?.icon ?? (() => null)
    const groups = [
      {
        key: 'watch' as const,
        items: [
          { path: '/home', icon, flag: 'on' },
          { path: '/help', icon, flag: '!on' },
          { path: '/api', icon, swap: { flag: 'on', path: '/user-profile' } },
          { path: '/dashboards', icon, swap: { flag: 'on', path: '/leitstand-classic/devices' } },
        ],
      },
    ]
    const shown = (on: boolean) => paths(visibleNavigation(groups, { mayOpen: () => true, flag: () => on }))
    expect(shown(true)).toEqual(['/home', '/user-profile', '/dashboards'])
    expect(shown(false)).toEqual(['/help', '/api', '/dashboards'])
  })

  test.each([
    ['de', de.accounts.flagAbout.deviceTypes, /hat er noch keine/],
    ['en', en.accounts.flagAbout.deviceTypes, /has no device types yet/],
  ])(
    'says that device types replace nothing only while they are not built, in %s',
    (_, text, reservation) => {
      const entry = navigation.flatMap(({ items }) => items).find(({ swap }) => swap?.flag === 'deviceTypes')
      expect(entry?.path).toBe('/virtual-device-drivers')
      const isBuilt = screenByPath(entry?.swap?.path ?? '')?.load !== undefined
      expect(reservation.test(text)).toBe(!isBuilt)
    },
  )

  test.each([
    ['create', true],
    ['create read', false],
    ['create manage', false],
    ['manage', false],
    ['', false],
  ])('users with the rights to tickets %j see the form as an entry of its own: %s', (rights, isSeen) => {
    const can = (subject: string, action: string) =>
      subject === 'IsFmTicket' && rights.split(' ').includes(action)
    expect(isAllowed(entryRules['/fm-add-ticket'] ?? 'public', true, can)).toBe(isSeen)
  })

  test('has at most 28 entries, so that they fit 900 px of height', () => {
    expect(paths(visibleNavigation(navigation, everything)).length).toBeLessThanOrEqual(28)
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
