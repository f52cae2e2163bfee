import { anyOf, may } from '@leitstand/contract/permissions'
import { describe, expect, test } from 'vitest'
import type { Session } from '../lib/session.ts'
import { redirects, screens } from './routes.ts'
import { knownPath, targetOf } from './target.ts'

const user = (permissions: string[] = [], needsTwoFactor = false) =>
  ({ status: 'user', needsTwoFactor, access: { permissions } }) as unknown as Session
const guest: Session = { status: 'guest' }
const screen = (path: string, rule: Parameters<typeof targetOf>[0]['rule']) => ({ path, rule })
const devices = screen('/virtual-devices', may('VirtualDevice', 'read', 'manage'))
const login = screen('/login', 'public')

describe('a guest', () => {
  test.each([
    ['/home', {}],
    ['/virtual-devices?health=2', { redirect: '/virtual-devices?health=2' }],
    ['/digitaltwin-mgmt/7?tab=states', { redirect: '/digitaltwin-mgmt/7?tab=states' }],
  ])('who opens %s signs in first and returns with %j', (href, search) => {
    expect(targetOf(screen('/x', 'session'), href, guest)).toEqual({ to: '/login', search })
  })

  test('is a guest also while the session is not known', () => {
    expect(targetOf(devices, '/virtual-devices', { status: 'unknown' })?.to).toBe('/login')
  })

  test.each(['/login', '/reset-password', '/public/k/tiles/3'])('may open %s', (path) => {
    expect(targetOf(screen(path, 'public'), path, guest)).toBeUndefined()
  })
})

describe('a user', () => {
  test.each([
    [['VirtualDevice.read'], undefined],
    [['VirtualDevice.manage'], undefined],
    [['VirtualDevice.write', 'Dashboards.read'], { to: '/home' }],
    [[], { to: '/home' }],
  ])('with the permissions %j who opens the devices goes to %j', (permissions, target) => {
    expect(targetOf(devices, '/virtual-devices', user(permissions))).toEqual(target)
  })

  test('may open what needs a session only', () => {
    expect(targetOf(screen('/help', 'session'), '/help', user())).toBeUndefined()
  })

  test('who may not even open home sees the error page, not a loop', () => {
    expect(targetOf(screen('/home', may('all', 'manage')), '/home', user())).toEqual({ to: '/error' })
  })

  test('needs all permissions of a rule that asks for all', () => {
    const { rule } = screens.find(({ key }) => key === 'stateOverview') ?? { rule: 'public' as const }
    const open = (...permissions: string[]) =>
      targetOf(screen('/states', rule), '/states', user(permissions)) === undefined
    expect(open('DigitalTwinStates.read')).toBe(false)
    expect(open('DigitalTwin.list')).toBe(false)
    expect(open('DigitalTwinStates.read', 'DigitalTwin.list')).toBe(true)
    expect(open('DigitalTwin.read')).toBe(true)
  })

  test('needs one of several subjects', () => {
    const rule = anyOf(may('IotHub', 'read'), may('all', 'read'))
    expect(targetOf(screen('/hub', rule), '/hub', user(['all.read']))).toBeUndefined()
  })

  test('without the second factor is only let to the sign-in page', () => {
    expect(targetOf(devices, '/virtual-devices', user(['VirtualDevice.read'], true))).toEqual({
      to: '/login',
      search: { redirect: '/virtual-devices' },
    })
    expect(targetOf(login, '/login', user([], true))).toBeUndefined()
  })
})

describe('the sign-in page of a user who is signed in', () => {
  test.each([
    ['/login', { to: '/home', search: {} }],
    ['/login?redirect=%2Fvirtual-devices%3Fhealth%3D2', { to: '/virtual-devices', search: { health: '2' } }],
    ['/login?redirect=https%3A%2F%2Fevil.example', { to: '/home', search: {} }],
    ['/login?redirect=%2F%2Fevil.example', { to: '/home', search: {} }],
    ['/login?redirect=javascript%3Aalert(1)', { to: '/home', search: {} }],
    ['/login?redirect=%2Flogin%3Fredirect%3D%2Flogin', { to: '/home', search: {} }],
    ['/login?redirect=', { to: '/home', search: {} }],
  ])('%s leads on to %j', (href, target) => {
    expect(targetOf(login, href, user())).toEqual(target)
  })
})

describe('paths', () => {
  test('of every screen and every old link are known', () => {
    const paths = [...screens.map(({ path }) => path), ...redirects.map(({ from }) => from)]
    const filled = paths.map((path) => path.replace(/\$\w+/g, '7'))
    expect(filled.filter((path) => !knownPath(path))).toEqual([])
  })

  test.each([
    ['/virtual-devices', true],
    ['/virtual-devices/', true],
    ['/virtual-devices/12', true],
    ['/virtual-devices/12/more', false],
    ['/virtual-device', false],
    ['/Virtual-Devices', false],
    ['/virtual-devices//', false],
    ['/nowhere', false],
    ['/%00', false],
  ])('%s is known: %s', (path, known) => {
    expect(knownPath(path)).toBe(known)
  })
})
