import { describe, expect, test } from 'vitest'
import { crumbsOf } from './crumbs.ts'

const t = (key: string) => key
const labels = (pathname: string, own: string | null, screenKey: string | undefined) =>
  crumbsOf({ pathname, own, screenKey }, t).map(({ label, to }) => (to ? `${label} → ${to}` : label))

describe('the way to what is shown', () => {
  test.each([
    ['an entry of the drawer', '/home', null, 'home', ['screens.home.title']],
    ['an entry of a group', '/virtual-device-drivers', null, 'drivers', ['screens.drivers.title']],
    [
      'an object',
      '/virtual-devices/12',
      'Zähler <Süd>',
      'device',
      ['screens.devices.title → /virtual-devices', 'Zähler <Süd>'],
    ],
    [
      'an object whose title is not known yet',
      '/virtual-devices/12',
      null,
      'device',
      ['screens.devices.title → /virtual-devices', 'screens.device.title'],
    ],
    [
      'a page below an entry without a group',
      '/dashboards/3',
      'Leitwarte',
      'dashboard',
      ['screens.dashboards.title → /dashboards', 'Leitwarte'],
    ],
    [
      'a page outside of the drawer',
      '/scheduled-exports',
      null,
      'scheduledExports',
      ['screens.scheduledExports.title'],
    ],
    ['an unknown page', '/nowhere', null, undefined, ['']],
    [
      'an object called like its list',
      '/dashboards/3',
      'screens.dashboards.title',
      'dashboard',
      ['screens.dashboards.title → /dashboards'],
    ],
  ])('%s', (_name, pathname, own, screenKey, expected) => {
    expect(labels(pathname, own, screenKey)).toEqual(expected)
  })
})
