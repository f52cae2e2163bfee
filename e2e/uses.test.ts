import { describe, expect, it } from 'vitest'
import { expectAccessible, expectFits, phone, startJourney } from './kit.ts'

/** What uses an object: shown on its page before a user changes or deletes it. */

const { platform, page, token, accountId, api, make, open, button, dialog, says, tabNamed, tabOf } =
  await startJourney()

/** A state of a room that a rule, a sum and a dashboard use. */
const room = await makeUsedState()

async function makeUsedState() {
  const twin = (title: string, more = {}) =>
    api.post<{ id: number }>('/digitaltwin', { title, accountId, ...more })
  const state = (dtwinId: number, key: string, title: string, more = {}) =>
    api.post<{ id: number }>('/digitaltwin/states', { dtwinId, key, title, source: 'none', ...more })
  const { id } = await twin('Serverraum')
  const { id: stateId } = await state(id, 'temp', 'Temperatur')
  const house = await twin('Rechenzentrum')
  await twin('Racks', { parentId: id })
  const sum = await state(house.id, 'mean', 'Mittelwert aller Räume', {
    source: 'aggregate',
    sourceSettings: { stateIds: [stateId], method: 'avg' },
  })
  await api.post('/digitaltwin/ddr', {
    dtwinId: house.id,
    title: 'Zu warm im Serverraum',
    metrics: [{ alias: 'temp', stateId }],
    conditions: { op: 'gt', left: { metric: 'temp' }, right: { value: 30 } },
    actions: [{ kind: 'alarm', severity: 'warning', message: 'warm' }],
  })
  const board = await api.post<{ id: number }>('/dashboards', { accountId, name: 'Leitwarte' })
  await api.post(`/dashboards/${board.id}/widgets`, {
    definition: {
      type: 'value',
      title: 'Temperatur',
      size: { columns: 6, minHeightPx: 280 },
      valueOptions: { stateIds: [stateId] },
    },
  })
  return { id, stateId, houseId: house.id, sumId: sum.id, boardId: board.id }
}

describe('what uses a thing', () => {
  it('is on the page of a twin, each with a way there', async () => {
    await open(`/digitaltwin-mgmt/${room.id}`)
    await tabNamed('Verwendung').click()
    await says('Rechenzentrum · Mittelwert aller Räume')
    await says('Rechenzentrum · Zu warm im Serverraum')
    await expectAccessible(page, 'used by')
    await page.getByRole('main').getByRole('link', { name: 'Leitwarte' }).click()
    await page.getByRole('heading', { name: 'Leitwarte', exact: true }).waitFor()
  })

  it('is read on a phone, in English and in the dark', async () => {
    const small = await tabOf(token, phone)
    await open(`/digitaltwin-mgmt/${room.id}?tab=uses`, small.page)
    await small.page.getByText('is computed from a value').waitFor()
    await expectAccessible(small.page, 'used by on a phone')
    await expectFits(small.page, 'used by on a phone')
    await small.context.close()
  })

  it('warns before a state is deleted, and refuses while others are computed from it', async () => {
    await open(`/digitaltwin-mgmt/${room.id}?tab=states`)
    await button('Aktionen für Temperatur').click()
    await page.getByRole('menuitem', { name: 'Löschen' }).click()
    await dialog().getByText('Das geht erst, wenn Folgendes nicht mehr davon abhängt').waitFor()
    await dialog().getByRole('button', { name: 'Abbrechen' }).click()
    await api.delete(`/digitaltwin/states/${room.sumId}`)
    await button('Aktionen für Temperatur').click()
    await page.getByRole('menuitem', { name: 'Löschen' }).click()
    await dialog().getByText('Rechenzentrum · Zu warm im Serverraum').waitFor()
    await dialog().getByText('Leitwarte').waitFor()
    await dialog().getByRole('button', { name: 'Löschen' }).click()
    await says('Temperatur')
  })

  it('says so when nothing does', async () => {
    const connector = await make.connector('Ungenutzt')
    await open(`/connectors/edit/${connector.accountId}/${connector.id}?tab=uses`)
    await says('Noch nicht verwendet')
    await expectAccessible(page, 'used by nothing')
  })

  it('counts devices and leads to their list', async () => {
    const connector = await make.connector('Messnetz')
    const { id } = await make.driver('Zähler', 'function decodeUplink() { return { data: {} } }')
    for (const n of [1, 2, 3])
      await make.device(`Zähler ${n}`, `meter-${n}`, { connectorId: connector.id, driverId: id })
    await open(`/virtual-device-drivers/${id}?tab=uses`)
    await page.getByRole('link', { name: 'In der Geräteliste zeigen' }).click()
    await says('Zähler 3')
  })

  it('agrees with the definitions', async () => {
    expect(await platform.doctor('uses')).toEqual({ code: 0, output: 'uses: no differences\n' })
  })
})
