import { describe, expect, test } from 'vitest'
import { nearbyScreens } from './nearby.ts'
import { screens } from './routes.ts'

const planned = screens.filter(({ load }) => load === undefined)

describe('screens near one that is not built', () => {
  test('are built, open without parameters, and at most five', () => {
    for (const screen of planned) {
      const near = nearbyScreens(screen)
      expect(near.length, screen.path).toBeGreaterThan(0)
      expect(near.length, screen.path).toBeLessThanOrEqual(5)
      for (const other of near) {
        expect(other.load, screen.path).toBeDefined()
        expect(other.path, screen.path).not.toContain('$')
      }
    }
  })

  test('are of the same group of the drawer', () => {
    const groups = screens.find(({ key }) => key === 'deviceGroups')
    if (!groups) throw new Error('there is no such screen')
    expect(nearbyScreens(groups).map(({ path }) => path)).toContain('/virtual-devices')
    expect(nearbyScreens(groups).map(({ path }) => path)).not.toContain('/account-mgmt')
  })

  test('of a public page are home', () => {
    for (const screen of planned.filter(({ layout }) => layout !== 'shell'))
      expect(nearbyScreens(screen).map(({ path }) => path)).toEqual(['/home'])
  })
})
