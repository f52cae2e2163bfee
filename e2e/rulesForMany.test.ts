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
