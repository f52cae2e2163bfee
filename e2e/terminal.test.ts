import { describe, expect, it } from 'vitest'
import { expectAccessible, expectFits, phone, startJourney } from './kit.ts'

/** The system terminal by keyboard: completion, history, a question before anything is repaired, the log of it. */

// It is for the administrator of the installation.
const { page, token, open, openAnew, button, field, row, says, tabOf } = await startJourney({ isAlone: true })
const prompt = () => field('Befehl')
const log = page.getByRole('log', { name: 'Ausgabe' })

describe('the terminal', () => {
  it('completes a command and shows what it answers', async () => {
    await open('/superadmin-terminal')
    await prompt().fill('stat')
    await page.keyboard.press('Tab')
    await says('status statements')
    await page.keyboard.type('us')
    await page.keyboard.press('Enter')
    await log.getByRole('cell', { name: 'PostgreSQL', exact: true }).waitFor()
    expect(await prompt().inputValue()).toBe('')
    await prompt().fill('help')
    await page.keyboard.press('Enter')
    await log.getByText('Alle Sitzungen eines Benutzers (Name oder E-Mail) beenden').waitFor()
    await expectAccessible(page, 'terminal')
  })

  it('says what is wrong with a line', async () => {
    await prompt().fill('select 1')
    await page.keyboard.press('Enter')
    await log.getByText('Diesen Befehl gibt es nicht. „help“ zeigt alle.').waitFor()
    await prompt().fill('rederive x')
    await page.keyboard.press('Enter')
    await log.getByText(/Die Angabe passt nicht zu diesem Befehl/).waitFor()
  })

  it('asks before it repairs anything', async () => {
    await prompt().fill('rebuild-rollups 2026-01')
    await page.keyboard.press('Enter')
    await log.getByText(/^Würde alle vorberechneten Werte des Monats 2026-01/).waitFor()
    await expectAccessible(page, 'terminal asks')
    await button('Ausführen').click()
    await log.getByText(/^Die Werte des Monats 2026-01 werden/).waitFor()
    expect(await button('Ausführen').count()).toBe(0)
    await prompt().focus()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    expect(await prompt().inputValue()).toBe('rederive x')
    const saved = page.waitForEvent('download')
    await button('Speichern').click()
    expect((await saved).suggestedFilename()).toBe('terminal.txt')
  })

  it('is in the activity log, without what was no command', async () => {
    await openAnew('/system-logs')
    await row(/rebuild-rollups 2026-01/)
      .first()
      .waitFor()
    expect(await page.getByText('select 1').count()).toBe(0)
  })

  it('works on a phone', async () => {
    const small = await tabOf(token, phone)
    await open('/superadmin-terminal', small.page)
    await small.page.getByRole('textbox', { name: 'Command' }).fill('nodes')
    await small.page.keyboard.press('Enter')
    await small.page.getByRole('columnheader', { name: 'processors' }).waitFor()
    await expectAccessible(small.page, 'terminal on a phone')
    await expectFits(small.page, 'terminal on a phone')
    expect(small.problems).toEqual([])
    await small.context.close()
  })
})
