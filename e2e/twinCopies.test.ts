import { describe, expect, it } from 'vitest'
import { expectAccessible, expectFits, handsOn, phone, startJourney } from './kit.ts'

/** Copies of twins. */

const { page, platform, api, accountId, make, open, tabOf, ...hands } = await startJourney()
const { button, dialog, says } = hands

interface Item {
  id: number
  title: string
}
const post = <T = Item>(path: string, body: object) => api.post<T>(path, body)

/** A building with rooms, each with a state and a rule; the building has the mean. */
async function building(title: string, rooms: number) {
  const house = await post('/digitaltwin', { title, accountId, type: 'building' })
  const stateIds: number[] = []
  for (let at = 1; at <= rooms; at++) {
    const room = await post('/digitaltwin', { title: `${title} ${at}`, parentId: house.id, type: 'room' })
    const state = await post('/digitaltwin/states', {
      dtwinId: room.id,
      key: 'temperature',
      title: 'Temperatur',
      unit: '°C',
      source: 'none',
    })
    stateIds.push(state.id)
  }
  if (rooms === 0) return house
  await post('/digitaltwin/states', {
    dtwinId: house.id,
    key: 'mean',
    title: 'Mittel',
    source: 'aggregate',
    sourceSettings: { stateIds, method: 'avg' },
  })
  await post('/digitaltwin/ddr', {
    dtwinId: house.id,
    title: 'Zu warm',
    metrics: [{ alias: 'a', stateId: stateIds[0], operation: 'latest' }],
    conditions: { op: 'gt', left: { metric: 'a' }, right: { value: 30 } },
    actions: [{ kind: 'alarm', severity: 'warning', message: 'warm' }],
  })
  return house
}

describe('a twin', () => {
  it('is duplicated with what is chosen, and its copy is opened', async () => {
    const house = await building('Schule', 2)
    await open(`/digitaltwin-mgmt/${house.id}`)
    await button('Aktionen für Schule').click()
    await page.getByRole('menuitem', { name: 'Duplizieren', exact: true }).click()
    const form = handsOn(dialog())
    await form.says('3 Datenpunkte')
    await expectAccessible(page, 'duplicating a twin')
    await form.field('Titel').fill('Kita')
    const rule = dialog().getByRole('checkbox', { name: '1 Regel' })
    expect(await rule.isChecked()).toBe(true)
    await rule.uncheck()
    await form.button('3 Zwillinge duplizieren').click()
    await says('„Kita“ wurde angelegt.')
    await page.getByRole('heading', { name: 'Kita', level: 1 }).waitFor()
    await says('Mittel')
    const id = /digitaltwin-mgmt\/(\d+)/.exec(page.url())?.[1]
    expect(await api.get(`/digitaltwin/ddr/list?dtwinId=${id}`)).toMatchObject({ total: 0 })
    // The copy has another title than the rooms in it.
    const { items } = await api.get<{ items: Item[] }>('/digitaltwin?search=Schule')
    expect(items).toHaveLength(5)
  })

  it('with very many below it is copied by a job that links to each copy', async () => {
    const house = await building('Turm', 30)
    await open(`/digitaltwin-mgmt/${house.id}`)
    await button('Aktionen für Turm').click()
    await page.getByRole('menuitem', { name: 'Duplizieren', exact: true }).click()
    await dialog().getByRole('button', { name: '31 Zwillinge duplizieren' }).click()
    await page.waitForURL(/background-jobs/)
    await says(/^Fertig$/)
    await page.getByRole('link', { name: 'Turm (Kopie)' }).click()
    await page.getByRole('heading', { name: 'Turm (Kopie)', level: 1 }).waitFor()
  })

  it('is the model for others, after showing what that changes', async () => {
    const house = await building('Muster', 0)
    await post('/digitaltwin/states', { dtwinId: house.id, key: 'doors', title: 'Türen', source: 'none' })
    for (const title of ['Ost', 'West'])
      await post('/digitaltwin', { title, accountId, type: 'building', tags: ['angleichen'] })
    await open(`/digitaltwin-mgmt/${house.id}`)
    await button('Aktionen für Muster').click()
    await page.getByRole('menuitem', { name: 'Andere angleichen' }).click()
    const form = handsOn(dialog())
    await form.says('Wählen Sie, welche Zwillinge angeglichen werden.')
    await dialog().getByText('Nach Filter').click()
    await form.choose('Tags', 'angleichen')
    await form.says('Was sich in 2 Zwillingen ändert')
    await page.keyboard.press('Escape')
    await expectAccessible(page, 'synchronising twins')
    await form.button('2 Zwillinge angleichen').click()
    await page.waitForURL(/background-jobs/)
    await says(/^Fertig$/)
    await page.getByRole('link', { name: 'West' }).click()
    await page.getByRole('heading', { name: 'West', level: 1 }).waitFor()
    await says('Türen')
  })

  it('can be duplicated on a phone, too', async () => {
    const house = await building('School', 1)
    const { page: small } = await tabOf(await platform.login(), phone)
    await open(`/digitaltwin-mgmt/${house.id}`, small)
    await small.getByRole('button', { name: 'Actions for School' }).click()
    await small.getByRole('menuitem', { name: 'Duplicate', exact: true }).click()
    await small.getByText('2 states').waitFor()
    await expectFits(small, 'duplicating a twin')
    await small.getByRole('button', { name: 'Duplicate 2 twins' }).click()
    await small.getByRole('heading', { name: 'School (copy)', level: 1 }).waitFor()
  })

  it('that moves shows first what moves with it, and who has other roles then', async () => {
    const house = await building('Umzug', 1)
    const site = await post('/digitaltwin', { title: 'Gelände', accountId, type: 'default' })
    const scope = await post<{ scopeId: number }>(`/digitaltwin/${site.id}/create-scope`, {})
    await make.user('waechter', { id: accountId, scopeId: scope.scopeId }, 'Viewer')
    await open(`/digitaltwin-mgmt/${house.id}`)
    await button('Aktionen für Umzug').click()
    await page.getByRole('menuitem', { name: 'Verschieben' }).click()
    const form = handsOn(dialog())
    await form.choice('Übergeordneter Zwilling').fill('Gelände')
    await page.getByRole('option', { name: /Gelände/ }).click()
    await form.says('2 Zwillinge ziehen um.')
    await form.says(/1 Benutzer oder Schlüssel erhält hier Rollen: waechter/)
    await expectAccessible(page, 'moving a twin')
    await form.button('Verschieben').click()
    await says('„Umzug“ wurde verschoben.')

    // What is typed stays when the present parent's name arrives afterwards.
    const typed = Promise.withResolvers<void>()
    const held = [`**/api/digitaltwin/${site.id}`, '**/api/digitaltwin?limit=20*']
    for (const calls of held) {
      await page.route(calls, async (route) => {
        await typed.promise
        await route.continue()
      })
    }
    await open(`/digitaltwin-mgmt/${house.id}?tab=data`)
    await page.reload()
    const parent = hands.choice('Übergeordneter Zwilling')
    await parent.fill('Schule')
    const named = page.waitForResponse(held[0] as string)
    typed.resolve()
    await named
    for (const calls of held) await page.unroute(calls)
    expect(await parent.inputValue()).toBe('Schule')
    await page.getByRole('option', { name: /^Schule \(\d+\)$/ }).click()
    await says(/1 Benutzer oder Schlüssel verliert hier seine Rollen: waechter/)
    await button('Verwerfen').click()
  })
})

it('filters of the list of twins are saved and applied again', async () => {
  await open('/digitaltwin-mgmt/list?tag=angleichen')
  await page.getByRole('row', { name: /West/ }).waitFor()
  await button('Gespeicherte Filter').click()
  await page.getByRole('menuitem', { name: 'Diesen Filter speichern …' }).click()
  await handsOn(dialog()).field('Name').fill('Anzugleichende')
  await handsOn(dialog()).button('Speichern').click()
  await button('Anzugleichende').waitFor()
  await open('/digitaltwin-mgmt/list')
  await page.getByRole('row', { name: /Turm/ }).first().waitFor()
  await button('Gespeicherte Filter').click()
  await page.getByRole('menuitem', { name: 'Anzugleichende' }).click()
  await page.getByRole('row', { name: /Turm/ }).first().waitFor({ state: 'detached' })
  await page.getByRole('row', { name: /West/ }).waitFor()
})
