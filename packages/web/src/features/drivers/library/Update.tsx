import { Alert, Button, Group, List, Stack, Text } from '@mantine/core'
import { IconArrowUp } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../../lib/api.ts'
import { faultDetail, faultTitle } from '../../../lib/faults.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { notifyError, notifySuccess } from '../../../ui/feedback/notify.ts'
import { Section } from '../../../ui/page/Section.tsx'
import { invalidateDrivers } from '../queries.ts'
import { DifferenceTable, useSaveQuestions } from '../save/useSaveQuestions.tsx'
import { TextDiff } from '../versions/TextDiff.tsx'
import { sentences } from './changes.ts'
import type { Changes, LibraryDriver } from './queries.ts'

/** Changes in the newer bundled version, results of the user's own golden packets, and the update button. */
export function Update({
  driver,
  installed,
  changes,
}: {
  driver: LibraryDriver
  installed: NonNullable<LibraryDriver['installed']>
  changes: Changes
}) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const questions = useSaveQuestions()
  const [busy, setBusy] = useState(false)
  const update = async (publish: boolean) => {
    setBusy(true)
    try {
      const input = { key: driver.key, version: installed.version, publish }
      const reply = await questions.storing((acceptGolden) =>
        client.devicedrivers.upgrade({ ...input, acceptGolden }),
      )
      if (reply)
        notifySuccess(t(publish ? 'drivers.publishedNote' : 'drivers.versionNote', { number: reply.number }))
    } catch (error) {
      notifyError(error)
    } finally {
      setBusy(false)
      await invalidateDrivers(cache)
    }
  }
  return (
    <Section
      title={t('drivers.library.updateTitle')}
      description={t('drivers.library.updateText', { number: installed.number })}
      actions={
        driver.installable ? (
          <Group gap={8}>
            <Button variant="default" disabled={busy} onClick={() => void update(false)}>
              {t('drivers.library.updateLater')}
            </Button>
            <Button
              leftSection={<Icon of={IconArrowUp} size={16} />}
              loading={busy}
              onClick={() => void update(true)}
            >
              {t('drivers.library.update')}
            </Button>
          </Group>
        ) : undefined
      }
    >
      <Stack gap="md">
        <List size="sm" spacing={4}>
          {sentences(changes, t).map((sentence) => (
            <List.Item key={sentence}>{sentence}</List.Item>
          ))}
        </List>
        {installed.mismatches.length > 0 ? (
          <Alert variant="light" color="yellow" title={t('drivers.mismatch.title')}>
            <Stack gap="sm">
              {installed.mismatches.map((mismatch) => (
                <section key={mismatch.index}>
                  <Text size="sm" fw={600}>
                    {mismatch.title || t('drivers.golden.packet', { number: mismatch.index + 1 })}
                  </Text>
                  {mismatch.error ? (
                    <Text size="sm">
                      {faultTitle(t, mismatch.error)} {faultDetail(t, mismatch.error)}
                    </Text>
                  ) : (
                    <DifferenceTable title={mismatch.title} differences={mismatch.differences} />
                  )}
                </section>
              ))}
            </Stack>
          </Alert>
        ) : null}
        {installed.script !== driver.script ? (
          <TextDiff
            before={installed.script}
            after={driver.script}
            caption={t('drivers.library.diffCaption', { number: installed.number })}
          />
        ) : null}
      </Stack>
      {questions.dialogs}
    </Section>
  )
}
