import { expect, it } from 'vitest'
import { expectAccessible, expectFits, phone, startJourney } from './kit.ts'

/** A rule for all rooms of a building, with an exception. */

const { page, api, accountId, open, button, dialog, says } = await startJourney()

const made = async (path: string, body: object) => ((await api.post(path, body)) as { id: number }).id
const building = await made('/digitaltwin', { title: 'Schule', type: 'building', accountId })
const rooms = new Map<string, { id: number; co2: number }>()
for (const title of ['Raum 1', 'Raum 2', 'Raum 3']) {
  const id = await made('/digitaltwin', { title, type: 'room', parentId: building, accountId })
  const co2 = await made('/digitaltwin/states', {
    dtwinId: id,
    key: 'co2',
    title: 'CO₂',
    unit: 'ppm',
    source: 'none',
  })
  rooms.set(title, { id, co2 })
}
const room = (title: string) => rooms.get(title) as { id: number; co2: number }

async function alarmed(): Promise<string[]> {
  const { items } = await api.get<{ items: { originTitle: string }[] }>(
    '/alarm-logs?status=unresolved&limit=100',
  )
  return items.map(({ originTitle }) => originTitle).sort()
}

it('is made for all rooms below a building, and raises an alarm in each but the exception', async () => {
  await open(`/digitaltwin-mgmt/${building}?tab=rules&rule=new`)
  await dialog().getByRole('textbox', { name: 'Titel', exact: true }).fill('Schlechte Luft')
  await dialog().getByText('Auf vielen Zwillingen').click()
  await dialog().getByRole('combobox', { name: 'Typ', exact: true }).focus()
  await page.keyboard.press('ArrowDown')
  await page.getByRole('option', { name: 'Raum' }).click()
  await page.keyboard.press('Escape')
  await dialog().getByText('Gilt jetzt auf 3 Zwillingen: Raum 1, Raum 2, Raum 3').waitFor()
  await dialog().getByRole('combobox', { name: 'Verwendeter Wert' }).click()
  await page.getByRole('option', { name: 'Datenpunkt nach Schlüssel' }).click()
  await dialog().getByRole('textbox', { name: 'Schlüssel des Datenpunkts' }).fill('co2')
  await dialog()
    .getByText('Für jeden Zwilling und jedes Gerät vom Typ Raum unter „Schule“: ')
    .first()
    .waitFor()
  await expectAccessible(page, 'a rule for many')
  await page.setViewportSize(phone)
  await expectFits(page, 'a rule for many')
  await dialog().getByRole('button', { name: 'Regel anlegen' }).press('Enter')
  await says('„Schlechte Luft“ wurde angelegt.')

  await open(`/digitaltwin-mgmt/${room('Raum 3').id}?tab=rules`)
  await page.getByRole('switch', { name: 'Gilt hier' }).press('Space')
  await button('Auf 2 Zwillingen').click()
  await dialog().getByText('Ausnahme: Die Regel gilt hier nicht').waitFor()
  await expectAccessible(page, 'twins of a rule')
  await expectFits(page, 'twins of a rule')
  for (const { co2 } of rooms.values()) await api.put(`/digitaltwin/states/${co2}/value`, { value: 1300 })
  await expect.poll(alarmed).toEqual(['Raum 1', 'Raum 2'])
})

/** Chooses an option of a field with the keyboard. */
async function choose(name: string, option: string): Promise<void> {
  const wanted = page.getByRole('option', { name: option, exact: true })
  await dialog().getByRole('combobox', { name, exact: true }).last().press('ArrowDown')
  await wanted.waitFor()
  for (let n = 0; n < 50; n++) {
    if ((await wanted.getAttribute('data-combobox-selected')) === 'true') break
    await page.keyboard.press('ArrowDown')
  }
  await page.keyboard.press('Enter')
}

it('with a mean, a time, school days and a mail is made with the keyboard alone, and reads as it is meant', async () => {
  await open(`/digitaltwin-mgmt/${building}?tab=rules&rule=new`)
  await dialog().getByRole('textbox', { name: 'Titel', exact: true }).fill('Lüften')
  await dialog().getByRole('radio', { name: 'Auf vielen Zwillingen' }).press('Space')
  await choose('Typ', 'Raum')
  await page.keyboard.press('Tab')
  await choose('Verwendeter Wert', 'Datenpunkt nach Schlüssel')
  await dialog().getByRole('textbox', { name: 'Schlüssel des Datenpunkts' }).fill('co2')
  await choose('Wert je Datenpunkt', 'Mittelwert')
  await dialog().getByRole('textbox', { name: 'Minuten' }).fill('15')
  await dialog().getByRole('textbox', { name: 'Rechte Seite: Wert' }).fill('1200')
  await button('Vergleich ändern').press('Space')
  await page.getByRole('menuitem', { name: 'Muss eine Zeit lang gelten' }).press('Enter')
  await dialog().getByRole('textbox', { name: 'Mindestdauer in Minuten' }).fill('10')
  await dialog().getByRole('switch', { name: 'Nur zu bestimmten Zeiten' }).press('Space')
  await choose('Feiertage', 'nicht an Feiertagen')
  await choose('Land', 'Deutschland')
  await button('Alarm auslösen entfernen').press('Space')
  await button('Aktion hinzufügen').press('Space')
  await page.getByRole('menuitem', { name: 'E-Mail senden' }).press('Enter')
  await dialog().getByRole('combobox', { name: 'Empfänger' }).fill('hausmeister@schule.example')
  await page.keyboard.press('Enter')
  await dialog().getByRole('textbox', { name: 'Pause nach dem Auslösen (Stunden)' }).fill('4')
  await dialog()
    .getByText(
      /^Für jeden Zwilling und jedes Gerät vom Typ Raum unter „Schule“: .*größer als 1\.200, mindestens 10 Minuten lang → E-Mail senden; nur .*; höchstens einmal in 4 Stunden$/,
    )
    .waitFor()
  await dialog().getByRole('button', { name: 'Regel anlegen' }).press('Space')
  await says('„Lüften“ wurde angelegt.')
  const { items } = await api.get<{ items: { title: string }[] }>(
    `/digitaltwin/ddr/list?dtwinId=${building}&limit=100`,
  )
  expect(items.find((rule) => rule.title === 'Lüften')).toMatchObject({
    many: { query: { types: ['room'] } },
    metrics: [{ operation: 'related', of: 'own', stateKey: 'co2', over: 'avg', lastMinutes: 15 }],
    conditions: {
      op: 'and',
      conditions: [{ op: 'for', minutes: 10, condition: { op: 'gt', right: { value: 1200 } } }],
    },
    executionTimes: {
      windows: [{ from: '07:00', to: '17:00' }],
      holidays: { country: 'DE', on: 'except' },
    },
    throttleHours: 4,
    actions: [{ kind: 'email', recipients: ['hausmeister@schule.example'] }],
  })
})
