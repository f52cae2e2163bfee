import { Alert, Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { JsonView } from '../../ui/json/JsonView.tsx'
import { CheckList } from './CheckList.tsx'
import classes from './connectors.module.css'
import type { SettingsValues } from './kinds/types.ts'
import type { ConnectorKind, Validation } from './queries.ts'
import { startingSample } from './samples.ts'
import { settingsFor } from './settings.ts'

interface SampleTesterProps {
  kind: ConnectorKind
  accountId: number | null
  id?: number
  settings: SettingsValues
}

/**
 * Runs the settings and a message through the server without storing anything; shows the checks and the
 * resulting packets.
 */
export function SampleTester({ kind, accountId, id, settings }: SampleTesterProps) {
  const { t } = useTranslation()
  const [sample, setSample] = useState(() => startingSample(settings.preset))
  const run = useMutation({
    mutationFn: () => {
      if (accountId === null) throw new Error('an account is needed to try settings')
      return client.bridge.validate({
        accountId,
        kind,
        settings: settingsFor(settings),
        sample,
        ...(id === undefined ? {} : { id }),
      })
    },
  })
  return (
    <Stack gap={12}>
      <Textarea
        label={t('connectors.sample')}
        value={sample}
        onChange={(event) => setSample(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || accountId === null) return
          event.preventDefault()
          run.mutate()
        }}
        autosize
        minRows={5}
        maxRows={14}
        spellCheck={false}
        classNames={{ input: classes.mono ?? '' }}
      />
      <Group gap={10}>
        <Button
          variant="default"
          leftSection={<Icon of={IconPlayerPlay} size={16} />}
          loading={run.isPending}
          disabled={accountId === null}
          onClick={() => run.mutate()}
        >
          {t('connectors.try')}
        </Button>
        {accountId === null ? (
          <Text size="sm" c="dimmed">
            {t('connectors.tryNeedsAccount')}
          </Text>
        ) : null}
      </Group>
      {run.isError ? <ErrorText error={run.error} /> : null}
      {run.data ? <Outcome outcome={run.data} /> : null}
    </Stack>
  )
}

function Outcome({ outcome }: { outcome: Validation }) {
  const { t } = useTranslation()
  const packets = outcome.packets ?? []
  return (
    <Stack gap={10} aria-live="polite">
      <CheckList checks={outcome.checks} />
      {packets.length > 0 ? (
        <>
          <Text size="sm" fw={550}>
            {t('connectors.packetsFound', { count: packets.length })}
          </Text>
          <JsonView value={packets.length === 1 ? packets[0] : packets} openLevels={4} />
        </>
      ) : outcome.ok ? (
        <Alert variant="light" color="gray">
          {t('connectors.noPackets')}
        </Alert>
      ) : null}
    </Stack>
  )
}
