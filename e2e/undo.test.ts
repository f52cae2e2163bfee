import { describe, expect, it } from 'vitest'
import { startJourney } from './kit.ts'

/** What can be taken back, and what is not lost when something else is given up. Dashboards have it in story.test.ts. */

const { page, username, accountId, api, make, open, ...hands } = await startJourney()
const { button, choice, choose, dialog, field, says, tabNamed } = hands

const { id: connectorId } = await make.connector('Werkstor')
const devices: number[] = []
for (const number of ['01', '02', '03'])
  devices.push((await make.device(`Halle ${number}`, `halle-${number}`, { connectorId })).id)
const [deviceId = 0] = devices
const { id: twinId } = await api.post<{ id: number }>('/digitaltwin', { title: 'Presse', accountId })
for (const title of ['Druck', 'Temperatur', 'Takt'])
  await api.post('/digitaltwin/states', { dtwinId: twinId, key: title.toLowerCase(), title, source: 'none' })

describe('taking back', () => {
  it('a favourite, by key', async () => {
    await open(`/virtual-devices/${deviceId}`)
    await button('Zu den Favoriten hinzufügen').click()
    await says('Zu den Favoriten hinzugefügt.')
    await button('Aus den Favoriten entfernen').waitFor()
    await page.keyboard.press('Control+z')
    await button('Zu den Favoriten hinzufügen').waitFor()
    expect((await api.get<{ items: unknown[] }>('/favorite')).items).toEqual([])
  })

  it('a tag, by the button of the message; in the field itself the key belongs to the text', async () => {
    await open(`/virtual-devices/${deviceId}?tab=data`)
    for (const tag of ['Nord', 'Süd']) {
      await choice('Tags').fill(tag)
      await page.keyboard.press('Enter')
    }
    await button('Speichern').click()
    await button('Speichern').waitFor({ state: 'detached' })
    await choice('Tags').press('Backspace')
    await says('„Süd“ entfernt.')
    await page.keyboard.press('Control+z')
    await button('Speichern').waitFor()
    await page.getByRole('button', { name: 'Rückgängig' }).click()
    await button('Speichern').waitFor({ state: 'detached' })
    expect((await api.get<{ tags: string[] }>(`/virtualdevice/${deviceId}`)).tags).toEqual(['Nord', 'Süd'])
  })

  it('the order of states', async () => {
    const titles = async () => {
      const { items } = await api.get<{ items: { title: string }[] }>(`/digitaltwin/${twinId}/states`)
      return items.map(({ title }) => title)
    }
    await open(`/digitaltwin-mgmt/${twinId}?tab=states`)
    const [from, to] = await Promise.all(
      ['Takt', 'Temperatur'].map((title) => button(`${title} verschieben`).boundingBox()),
    )
    if (!from || !to) throw new Error('the rows have no handles')
    await page.mouse.move(from.x + 5, from.y + 5)
    await page.mouse.down()
    await page.mouse.move(to.x + 5, to.y + 5, { steps: 10 })
    await page.mouse.up()
    await says('Reihenfolge geändert.')
    expect(await titles()).toEqual(['Druck', 'Takt', 'Temperatur'])
    await page.getByRole('button', { name: 'Rückgängig' }).click()
    await expect.poll(titles).toEqual(['Druck', 'Temperatur', 'Takt'])
  })

  it('giving up a selection; a cancelled bulk edit keeps it', async () => {
    await open('/virtual-devices')
    await page.getByRole('checkbox', { name: 'Alle Zeilen dieser Seite auswählen' }).check()
    await button('Auswahl aufheben').click()
    await says('Nichts mehr ausgewählt.')
    await page.keyboard.press('Control+z')
    await says('3 ausgewählt')
    await button('Massenänderung').click()
    await page.getByRole('heading', { level: 1, name: 'Geräte gemeinsam ändern' }).waitFor()
    await button('Abbrechen').click()
    await says('3 ausgewählt')
  })
})

it('suggests people of the account as recipients, oneself among them', async () => {
  await open(`/digitaltwin-mgmt/${twinId}?tab=rules`)
  await button('Regel anlegen').first().click()
  await dialog().getByRole('textbox', { name: 'Titel', exact: true }).fill('Zu heiß')
  await choose(/^Datenpunkt/, /Temperatur/)
  await button('Aktion hinzufügen').click()
  await page.getByRole('menuitem', { name: 'E-Mail senden' }).click()
  await choice('Empfänger').fill(username)
  await page.getByRole('option', { name: username }).click()
  await field(/Wert$/).last().fill('80')
  await dialog().getByRole('button', { name: 'Regel anlegen' }).click()
  await dialog().waitFor({ state: 'detached' })
  await page.getByRole('switch', { name: /Zu heiß/ }).waitFor()
  await tabNamed(/^Regeln/).waitFor()
})
