import { describe, expect, it } from 'vitest'
import { expectAccessible, handsOn, startJourney } from './kit.ts'

/** Conditions of rules that look back, times at which a rule runs, and conditions as JavaScript. */

const { page, accountId, api, open, button, dialog, says } = await startJourney()

const { id: twinId } = await api.post<{ id: number }>('/digitaltwin', { title: 'Klassenraum', accountId })
const { id: stateId } = await api.post<{ id: number }>('/digitaltwin/states', {
  dtwinId: twinId,
  key: 'co2',
  title: 'CO₂',
  source: 'none',
})

interface StoredRule {
  title: string
  conditions: object
  executionTimes: object | null
}

async function stored(title: string): Promise<StoredRule | undefined> {
  const { items } = await api.get<{ items: StoredRule[] }>(`/digitaltwin/ddr/list?dtwinId=${twinId}`)
  return items.find((rule) => rule.title === title)
}

const above = { op: 'gt', left: { metric: 'co2' }, right: { value: 1200 } }

describe('the conditions of a rule', () => {
  it('last for some time, on working days only; by key', async () => {
    await open(`/digitaltwin-mgmt/${twinId}?tab=rules`)
    await button('Regel anlegen').first().press('Enter')
    const sheet = handsOn(dialog())
    await sheet.field('Titel').fill('Lüften')
    await sheet.field('Rechte Seite: Wert').fill('1200')
    await sheet.button('Vergleich ändern').press('Enter')
    await page.getByRole('menuitem', { name: 'Muss eine Zeit lang gelten' }).press('Enter')
    await sheet.field('Mindestdauer in Minuten').fill('15')
    await sheet.says('co2 größer als 1.200, mindestens 15 Minuten lang')
    await dialog().getByRole('switch', { name: 'Nur zu bestimmten Zeiten' }).press('Space')
    await dialog().getByRole('spinbutton', { name: 'Bis: Stunden' }).focus()
    await page.keyboard.type('1630')
    await dialog().getByRole('checkbox', { name: 'Freitag' }).press('Space')
    await sheet.choose('Feiertage', 'nicht an Feiertagen')
    await sheet.choose('Land', 'Deutschland')
    await sheet.choose('Region', /Berlin/)
    await expectAccessible(page, 'rule with times')
    await sheet.button('Regel anlegen').press('Enter')
    await says('„Lüften“ wurde angelegt.')
    expect(await stored('Lüften')).toMatchObject({
      conditions: { op: 'and', conditions: [{ op: 'for', minutes: 15, condition: above }] },
      executionTimes: {
        windows: [{ days: [1, 2, 3, 4], from: '07:00', to: '16:30' }],
        dates: [],
        holidays: { country: 'DE', region: 'BE', on: 'except' },
      },
    })
  })

  it('are moved into another group, with the keyboard and with the mouse', async () => {
    const below = { op: 'lt', left: { metric: 'co2' }, right: { value: 400 } }
    const other = { op: 'eq', left: { metric: 'co2' }, right: { value: 7 } }
    const rule = await api.post<{ id: number }>('/digitaltwin/ddr', {
      dtwinId: twinId,
      title: 'Umstellen',
      metrics: [{ alias: 'co2', stateId }],
      conditions: { op: 'and', conditions: [above, { op: 'or', conditions: [below, other] }] },
      actions: [{ kind: 'alarm', severity: 'warning', message: 'CO₂' }],
    })
    await open(`/digitaltwin-mgmt/${twinId}?tab=rules&rule=${rule.id}`)
    const sheet = handsOn(dialog())
    const handle = sheet.button('„co2 größer als 1.200“ verschieben')
    await handle.press('Space')
    for (let n = 0; n < 2; n++) await page.keyboard.press('ArrowDown')
    await sheet.says('Platz 1 in „Eine genügt (oder)“')
    await page.keyboard.press('Escape')
    await sheet.says('co2 größer als 1.200 und (co2 kleiner als 400 oder co2 gleich 7)')
    await handle.press('Space')
    for (let n = 0; n < 3; n++) await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Space')
    await sheet.says('co2 kleiner als 400 oder co2 größer als 1.200 oder co2 gleich 7')
    expect(await handle.evaluate((element) => element === document.activeElement)).toBe(true)

    await sheet.button('„co2 gleich 7“ verschieben').hover()
    await page.mouse.down()
    const target = await dialog().getByRole('group', { name: 'Alle müssen zutreffen (und)' }).boundingBox()
    const { x = 0, y = 0 } = target ?? {}
    await page.mouse.move(x + 30, y + 70, { steps: 5 })
    await page.mouse.move(x + 30, y + 50, { steps: 5 })
    await page.mouse.up()
    await sheet.says('co2 gleich 7 und (co2 kleiner als 400 oder co2 größer als 1.200)')
    await sheet.button('Speichern').click()
    await expect
      .poll(async () => (await stored('Umstellen'))?.conditions)
      .toEqual({ op: 'and', conditions: [other, { op: 'or', conditions: [below, above] }] })
  })

  it('become JavaScript and a tree again; not those that look back', async () => {
    await open(`/digitaltwin-mgmt/${twinId}?tab=rules`)
    await button('Regel anlegen').first().click()
    const sheet = handsOn(dialog())
    await sheet.field('Titel').fill('Skript')
    await sheet.field('Rechte Seite: Wert').fill('1200')
    const form = (name: string) => dialog().getByRole('radio', { name })
    await form('JavaScript').press('Space')
    await dialog().getByText('return').first().waitFor()
    await expectAccessible(page, 'rule with a script')
    await form('Auswahl').press('Space')
    await sheet.field('Rechte Seite: Wert').waitFor()
    await sheet.button('Vergleich ändern').click()
    await page.getByRole('menuitem', { name: 'Muss mehrmals gelten' }).click()
    await form('JavaScript').press('Space')
    await sheet.says(/gibt es nicht als JavaScript/)
    await sheet.button('Mit leerem JavaScript anfangen').click()
    await sheet.button('Regel anlegen').click()
    await says('„Skript“ wurde angelegt.')
    expect(await stored('Skript')).toMatchObject({
      conditions: { op: 'script', script: 'return co2 > 0' },
      executionTimes: null,
    })
  })
})
