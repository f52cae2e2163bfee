import { describe, expect, it } from 'vitest'
import { expectAccessible, expectFits, phone, startJourney } from './kit.ts'

/** Many similar devices from one template: created, published, linked, changed together, and unlinked. */

const { page, token, api, make, tab, tabOf, ...hands } = await startJourney()
const { open, openAnew, button, field, choice, choose, dialog, row, says, tabNamed, heading } = hands
const { id: connectorId } = await make.connector('Zählernetz')
const variables = [
  { key: 'volume', title: 'Volumen', unit: 'm³' },
  { key: 'battery', title: 'Batterie', unit: '%' },
]
const script = 'module.exports = (payload) => ({ volume: payload.volume, battery: payload.battery })'
const { id: driverId } = await make.driver('Zähler aus dem Test', script, { variables })
const { id: oldId } = await make.device('Zähler Keller', 'meter-1', { connectorId, driverId })
await api.post('/digitaltwin/states', {
  dtwinId: oldId,
  key: 'note',
  title: 'Notiz',
  source: 'none',
  valueType: 'text',
})

let templateId = 0
let newId = 0
const statesOf = async (id: number) => {
  const { items } = await api.get<{ items: { key: string; fixed: boolean }[] }>(`/digitaltwin/${id}/states`)
  return items.map(({ key, fixed }) => (fixed ? key : `${key} (own)`)).sort()
}
const save = async () => {
  await page.keyboard.press('Control+s')
  await button('Verwerfen').waitFor({ state: 'detached' })
}
const publish = async () => {
  await tabNamed('Unveröffentlichte Änderungen').click()
  await button('Veröffentlichen und synchronisieren').click()
  await dialog().getByRole('button', { name: 'Veröffentlichen und synchronisieren' }).click()
}
/** The badge next to the title. */
const badge = (word: string) =>
  page.getByRole('heading', { level: 1 }).locator('xpath=..').getByText(word, { exact: true }).waitFor()

describe('a template', () => {
  it('is made by keyboard', async () => {
    await open('/device-templates')
    await says('Noch keine Vorlagen')
    await expectAccessible(page, 'no templates')
    await button('Vorlage anlegen').first().focus()
    await page.keyboard.press('Enter')
    await dialog().waitFor()
    await page.keyboard.type('Wasserzähler Wohnung')
    await dialog().getByRole('button', { name: 'Vorlage anlegen' }).click()
    await says('Dieses Feld ist erforderlich')
    await expectAccessible(page, 'new template')
    for (const [name, text] of [
      ['Konnektor', 'Zählernetz'],
      ['Treiber', 'Zähler aus dem Test'],
    ] as const) {
      await choice(name).focus()
      await page.keyboard.type(text)
      await expect.poll(() => page.getByRole('option').allInnerTexts()).toEqual([text])
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await expect.poll(() => page.getByRole('option').count()).toBe(0)
    }
    await page.keyboard.press('Enter')
    await heading('Wasserzähler Wohnung').waitFor()
    templateId = Number(/device-templates\/(\d+)/.exec(page.url())?.[1])
    await badge('Entwurf')
    await button('Pflichtangabe hinzufügen').click()
    await field('Schlüssel 1').fill('Einbauort')
    await expectAccessible(page, 'template')
  })

  it('takes its states from the driver, and others beside', async () => {
    await tabNamed('Datenpunkte').click()
    await row(/Volumen/).waitFor()
    await button('Batterie entfernen').click()
    await row(/Batterie/).waitFor({ state: 'detached' })
    await button('1 Variable des Treibers übernehmen').click()
    await row(/Batterie/).waitFor()
    await button('Datenpunkt anlegen').click()
    await dialog().getByRole('textbox', { name: 'Titel' }).fill('Ventil')
    await dialog().getByRole('button', { name: 'Übernehmen' }).click()
    await row(/Ventil/).waitFor()
    await button('Ventil nach oben').click()
    await expectAccessible(page, 'states of a template')
  })

  it('says what can be wrong, and has rules over its states', async () => {
    await tabNamed('Gerätezustand').click()
    await page.getByRole('radio', { name: /Eigene Konfiguration der Vorlage/ }).check()
    await button('Eintrag hinzufügen').click()
    await field('Kennung').fill('battery.low')
    await choice('Variable').fill('battery')
    await field(/^Wert/).fill('20')
    await expectAccessible(page, 'health of a template')
    await tabNamed('Regeln').click()
    await button('Regel anlegen').click()
    const sheet = dialog()
    await sheet.getByRole('textbox', { name: 'Titel' }).fill('Batterie schwach')
    await choose('Datenpunkt', 'Batterie [%]')
    await sheet.getByRole('button', { name: 'Übernehmen' }).click()
    await says('Batterie schwach')
    await expectAccessible(page, 'rules of a template')
    await save()
    await says('Gespeichert.')
  })

  it('becomes productive', async () => {
    await publish()
    await badge('Veröffentlicht')
    await badge('Keine verknüpften Geräte')
    await expectAccessible(page, 'published template')
  })
})

describe('its devices', () => {
  it('are made with what it holds, and what it asks for', async () => {
    await button('Gerät anlegen').click()
    await page.getByRole('heading', { name: 'Gerät anlegen' }).waitFor()
    await page.getByRole('radio', { name: /Zählernetz/ }).waitFor()
    await button('Weiter').click()
    await expect.poll(() => page.getByRole('radio', { name: /Wasserzähler Wohnung/ }).isChecked()).toBe(true)
    await expectAccessible(page, 'wizard, template')
    await button('Weiter').click()
    await field(/^Kennung/).fill('meter-2')
    await field('Titel').fill('Zähler 1. OG')
    await button('Weiter').click()
    await button('Weiter').click()
    await says('Dieses Feld ist erforderlich')
    await field('Einbauort').fill('Bad')
    await expectAccessible(page, 'wizard, properties')
    await button('Weiter').click()
    await button('Weiter').click()
    await row('Vorlage Wasserzähler Wohnung').waitFor()
    await page.getByRole('main').getByRole('button', { name: 'Gerät anlegen' }).click()
    await heading('„Zähler 1. OG“ wurde angelegt').waitFor()
    const { items } = await api.get<{ items: { id: number }[] }>('/virtualdevice?search_items=meter-2')
    newId = items[0]?.id ?? 0
    expect(await statesOf(newId)).toEqual(['battery', 'ventil', 'volume'])
  })

  it('show what the template fixes, and why', async () => {
    await open(`/virtual-devices/${newId}?tab=data`)
    await expect.poll(() => choice('Treiber').isDisabled()).toBe(true)
    await says(/Das legt die Vorlage „Wasserzähler Wohnung“ fest/)
    await expectAccessible(page, 'master data of a linked device')
    await tabNamed('Werte').click()
    await row(/Batterie.*aus der Vorlage/).waitFor()
    await tabNamed('Regeln').click()
    await says('aus der Vorlage')
    await tabNamed('Zustand').click()
    await says('Konfiguration der Vorlage')
  })

  it('are linked after it was said what that takes away', async () => {
    await open(`/virtual-devices/${oldId}?tab=data`)
    await button('Mit Vorlage verknüpfen').click()
    await choice('Vorlage').click()
    await page.getByRole('option', { name: 'Wasserzähler Wohnung' }).click()
    await says('1 Datenpunkt wird mit seinem Messverlauf gelöscht')
    await dialog().getByText('Notiz').waitFor()
    await dialog().getByRole('textbox', { name: 'Einbauort' }).fill('Keller')
    await expectAccessible(page, 'linking')
    await dialog().getByRole('button', { name: 'Verknüpfen' }).click()
    await says('Gerät verknüpft.')
    await button('Verknüpfung lösen').waitFor()
    expect(await statesOf(oldId)).toEqual(['battery', 'ventil', 'volume'])
  })

  it('stay as they are when the template changes, until it is synchronised', async () => {
    await open(`/device-templates/${templateId}?tab=states`)
    await button('Ventil entfernen').click()
    await save()
    await badge('Unveröffentlichte Änderungen')
    expect(await statesOf(oldId)).toEqual(['battery', 'ventil', 'volume'])
    await tabNamed('Unveröffentlichte Änderungen').click()
    await page.getByRole('button', { name: /Datenpunkt: Ventil.*Entfernt.*2 Geräte/ }).click()
    await page.getByRole('cell', { name: '"key": "ventil",' }).waitFor()
    await expectAccessible(page, 'changes of a template')
    await publish()
    await badge('Alle Geräte synchron')
    expect(await statesOf(oldId)).toEqual(['battery', 'volume'])
    expect(await statesOf(newId)).toEqual(['battery', 'volume'])
    await row(/Zähler Keller.*Erledigt/).waitFor()
    await tabNamed('Verknüpfte Geräte').click()
    await row(/Zähler 1\. OG.*Synchron/).waitFor()
    await expectAccessible(page, 'linked devices')
  })

  it('are found by it in the list', async () => {
    await open(`/virtual-devices?template=${templateId}`)
    await row(/Zähler Keller/).waitFor()
    await button(/^Vorlage\s*1$/).waitFor()
  })

  it('leave it when that is saved, and keep what they have', async () => {
    await openAnew(`/virtual-devices/${oldId}?tab=data`)
    await button('Verknüpfung lösen').click()
    await says(/Beim Speichern wird die Verknüpfung mit/)
    expect(await statesOf(oldId)).toEqual(['battery', 'volume'])
    await save()
    await says('Das Gerät ist mit keiner Vorlage verknüpft.')
    expect(await statesOf(oldId)).toEqual(['battery (own)', 'volume (own)'])
  })

  it('are linked many at once, with the reason where it cannot be', async () => {
    await api.post('/virtualdevice', {
      title: 'Zähler Dach',
      externalId: 'meter-3',
      connectorId,
      driverId,
      keyValues: { Einbauort: 'Dach' },
    })
    await openAnew('/virtual-devices')
    await page.getByRole('checkbox', { name: /Alle/ }).first().check()
    await button('Massenänderung').click()
    await page.getByRole('radio', { name: /Mit einer Vorlage verknüpfen/ }).check()
    await button('Weiter').click()
    await button('Weiter').click()
    await says('Dieses Feld ist erforderlich')
    await choose('Vorlage', 'Wasserzähler Wohnung')
    await expectAccessible(page, 'bulk link')
    await button('Weiter').click()
    await field('Titel des Vorgangs').fill('Zähler verknüpfen')
    await button('3 Geräte verknüpfen').click()
    await row(/Zähler Dach.*Erledigt/).waitFor()
    await row(/Zähler 1\. OG.*Fehlgeschlagen/).waitFor()
  })
})

it('cannot be deleted while devices are linked', async () => {
  await open(`/device-templates/${templateId}`)
  await button('Mehr').click()
  await page.getByRole('menuitem', { name: 'Vorlage löschen' }).click()
  await says(/sind noch \d Geräte verknüpft/)
  await button('Geräte zeigen').click()
  await row(/Zähler Dach/).waitFor()
  expect(tab.problems.filter((problem) => !/\b(409|422)\b/.test(problem))).toEqual([])
})

it.each([
  ['en-GB', phone.width, true],
  ['de-DE', phone.width, false],
  ['en-GB', 1440, true],
] as const)('is shown in %s at %i px, dark: %s', async (locale, width, dark) => {
  const theirs = await tabOf(token, { locale, width, dark })
  const other = theirs.page
  for (const tabKey of ['meta', 'driver', 'health', 'states', 'rules', 'devices', 'changes']) {
    await open(`/device-templates/${templateId}?tab=${tabKey}`, other)
    await other.waitForLoadState('networkidle')
    await expectFits(other, `${tabKey} in ${locale} at ${width}`)
  }
  await openAnew('/device-templates', other)
  await expectFits(other, `templates in ${locale} at ${width}`)
  await openAnew(`/virtual-devices/${newId}?tab=data`, other)
  await expectFits(other, `linked device in ${locale} at ${width}`)
  await theirs.context.close()
})
