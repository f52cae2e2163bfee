import { connectAsync } from 'mqtt'
import { describe, expect, it } from 'vitest'
import { Mosquitto } from '../packages/server/test/mosquitto.ts'
import { expectAccessible, expectFits, handsOn, phone, startJourney } from './kit.ts'

/** Doors, opened on a phone: one with a lock that answers, and one with a lock that does not. */

const mosquitto = await Mosquitto.start()
const address = `mqtt://127.0.0.1:${mosquitto.port}`
const lock = await connectAsync(address, { username: 'bridge', password: 'secret' })
const { api, make, platform, accountId, open, tabOf } = await startJourney({
  uses: [mosquitto, { [Symbol.asyncDispose]: () => lock.endAsync(true) }],
  env: { ALLOWED_NETWORKS: '127.0.0.1' },
})
const commands: string[] = []
await lock.subscribeAsync('shared/locks/#', { qos: 1 })
lock.on('message', (topic) => {
  commands.push(topic)
  if (!topic.endsWith('/main')) return
  void lock.publishAsync('shared/answers', JSON.stringify({ identifier: 'main', data: { open: true } }), {
    qos: 1,
  })
})
const { scopeId } = (
  await api.get<{ items: { id: number; scopeId: number }[] }>('/tenant/fetch/all')
).items.find(({ id }) => id === accountId) as { scopeId: number }
const broker = await make.connector(
  'Door control',
  {
    host: '127.0.0.1',
    port: mosquitto.port,
    username: 'bridge',
    password: 'secret',
    topics: ['shared/answers'],
  },
  { kind: 'mqtt-in' },
)
const hall = await api.post<{ id: number }>('/digitaltwin', { accountId, title: 'Town hall' })

/** A door with a lock that reports by a state. */
async function door(title: string, identifier: string, more: object = {}) {
  const twin = await api.post<{ id: number }>('/digitaltwin', {
    accountId,
    title,
    type: 'door',
    parentId: hall.id,
  })
  const state = await api.post<{ id: number }>('/digitaltwin/states', {
    dtwinId: twin.id,
    key: 'open',
    title: 'Open',
    valueType: 'boolean',
    source: 'connector',
    sourceSettings: { connectorId: broker.id, identifier, variable: 'open' },
  })
  return api.post<{ id: number }>('/isfmAccessMgmt/locks', {
    twinId: twin.id,
    way: {
      kind: 'connector-command',
      connectorId: broker.id,
      topic: `shared/locks/${identifier}`,
      payload: '{"open":true}',
    },
    report: { stateId: state.id, value: true },
    ...more,
  })
}
const main = await door('Main entrance', 'main', { throttleSeconds: 60 })
const cellar = await door('Cellar', 'cellar', { waitSeconds: 2 })

const username = `ada${accountId}`
const { id: userId } = await make.user(username, { id: accountId, scopeId }, 'Key holder')
await platform.fill(
  `update users set password_hash = (select password_hash from users where username = 'admin@localhost')
    where username = '${username}'`,
)
const give = (lockId: number, more: object = {}) =>
  api.post<{ id: number }>('/isfmAccessMgmt', { userId, lockId, validFrom: '2026-01-01T00:00:00Z', ...more })
const ada = await tabOf(await platform.login(username), phone)
const hers = handsOn(ada.page)
const { page } = await tabOf(await platform.login(), { locale: 'en-GB' })
const { button, choose, dialog, says, tabNamed } = handsOn(page)
const at = (title: string) => handsOn(ada.page.getByRole('listitem').filter({ hasText: title }))

describe('a person with keys', () => {
  it('has no entry in the menu without keys, and is told why the page is empty', async () => {
    await open('/fm-access', ada.page)
    await hers.says('You have no keys')
    await expectAccessible(ada.page, 'no keys')
    expect(await ada.page.getByRole('link', { name: 'My keys' }).count()).toBe(0)
  })

  it('opens a door with one tap, and sees when the lock has answered', async () => {
    await give(main.id)
    await give(cellar.id)
    await ada.page.reload()
    await at('Main entrance').button('Open').click()
    await at('Main entrance').button('Opened').waitFor()
    await at('Main entrance').says('The lock reports that it is open.')
    expect(commands).toEqual(['shared/locks/main'])
    await expectAccessible(ada.page, 'door opened')
    await expectFits(ada.page, 'door opened')
    await at('Main entrance').button('Opened').click()
    await at('Main entrance').button('Wait a moment').waitFor()
    await at('Main entrance').says(/Possible again in \d+ seconds/)
    expect(commands).toHaveLength(1)
  })

  it('sees when a lock does not answer', async () => {
    await at('Cellar').button('Open').click()
    await at('Cellar').button('No answer').waitFor()
    await at('Cellar').says('Try the door before you try again.')
    expect(commands).toEqual(['shared/locks/main', 'shared/locks/cellar'])
  })

  it('opens nothing without a network, not later either', async () => {
    await ada.context.setOffline(true)
    await hers.says('No door opens without a connection, and nothing is sent later either.')
    await at('Cellar').button('Offline').dispatchEvent('click')
    await expectAccessible(ada.page, 'doors without a network')
    await ada.context.setOffline(false)
    await at('Cellar')
      .button(/Open|No answer/)
      .waitFor()
    const { total } = await api.get<{ total: number }>('/isfmAccessMgmt/activations')
    expect(total).toBe(3)
    expect(commands).toHaveLength(2)
  })

  it('finds a favourite door on the home page, and first among the own ones', async () => {
    const first = () => ada.page.getByRole('main').getByRole('listitem').first().textContent()
    expect(await first()).toContain('Cellar')
    await at('Main entrance').button('Add to favourites: Main entrance').click()
    await hers.says('Added to favourites.')
    await expect.poll(first).toContain('Main entrance')
    await open('/home', ada.page)
    await ada.page.getByRole('link', { name: /^Main entrance/ }).click()
    const button = at('Main entrance').button('Open')
    await button.waitFor()
    await expect.poll(() => button.evaluate((node) => node === document.activeElement)).toBe(true)
    expect(ada.page.url()).toContain(`/fm-access?door=${main.id}`)
    await expectAccessible(ada.page, 'a favourite door')
    await expectFits(ada.page, 'a favourite door')
  })
})

describe('who manages keys', () => {
  it('gives a key in the drawer, and revokes it', async () => {
    await open('/fm-access-mgmt', page)
    await expectAccessible(page, 'keys')
    await button('Give a key').click()
    await choose('Door', 'Cellar')
    await choose('Person', /ada/)
    await dialog().getByRole('textbox', { name: 'Note' }).fill('Meter reading')
    await dialog().getByRole('switch', { name: 'Only at certain hours' }).check({ force: true })
    await expectAccessible(page, 'give a key')
    await dialog().getByRole('button', { name: 'Give a key' }).click()
    await says('Meter reading')
    const row = page.getByRole('row').filter({ hasText: 'Meter reading' })
    await row.getByRole('button').last().click()
    await page.getByRole('menuitem', { name: 'Revoke key' }).click()
    await dialog().getByRole('button', { name: 'Revoke key' }).click()
    await row.getByText('Revoked').waitFor()
  })

  it('finds the keys of a door', async () => {
    const rows = (name: RegExp) => page.getByRole('row', { name })
    await rows(/Main entrance/).waitFor()
    await button('Door').click()
    await choose('Door', 'Main entrance')
    await page.keyboard.press('Escape')
    await rows(/Cellar/)
      .first()
      .waitFor({ state: 'detached' })
    await rows(/Main entrance/).waitFor()
    expect(page.url()).toContain(`lock=${main.id}`)
    await expectAccessible(page, 'keys of a door')
    await open('/fm-access-mgmt', page)
    await rows(/Cellar/)
      .first()
      .waitFor()
  })

  it('sees locks, groups and the log', async () => {
    await tabNamed('Locks').click()
    await says('Command · Door control')
    await expectAccessible(page, 'locks')
    await page.getByRole('row').filter({ hasText: 'Cellar' }).getByRole('button').last().click()
    await page.getByRole('menuitem', { name: 'Edit lock' }).click()
    await dialog().getByRole('textbox', { name: 'Topic' }).waitFor()
    await expectAccessible(page, 'edit a lock')
    await page.keyboard.press('Escape')
    await tabNamed('Groups').click()
    await says('No groups yet')
    await button('Create group').first().click()
    await dialog().getByRole('textbox', { name: 'Name' }).fill('All doors')
    await choose('Doors', 'Cellar')
    await page.keyboard.press('Escape')
    await expectAccessible(page, 'create a group of locks')
    await dialog().getByRole('button', { name: 'Create group' }).click()
    await says('All doors')
    await tabNamed('Log').click()
    await page.getByRole('row').filter({ hasText: 'Cellar' }).getByText('No answer').waitFor()
    await page.getByRole('row').filter({ hasText: 'Main entrance' }).getByText('Refused').waitFor()
    await expectAccessible(page, 'log of doors')
  })
})
