import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../lib/format.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { JobTitle, titleFits } from '../batches/index.ts'

/** Asks for the job's title before it starts. */
export function ImportForm(props: {
  title: string
  count: number
  onBack: () => void
  onStart: (title: string) => Promise<void>
}) {
  const { t } = useTranslation()
  const [title, setTitle] = useState(props.title)
  const [asked, setAsked] = useState(false)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(undefined)
  const start = async () => {
    setAsked(true)
    if (!titleFits(title)) return
    setBusy(true)
    setFailure(undefined)
    try {
      await props.onStart(title.trim())
    } catch (error) {
      setFailure(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Stack gap="md">
      <Text size="sm">
        {t('devices.remote.willCreate', { count: props.count, number: formatNumber(props.count, 0) })}
      </Text>
      <Alert variant="light" color="gray" icon={<Icon of={IconInfoCircle} />}>
        {t('devices.remote.withDefaults')}
      </Alert>
      <JobTitle value={title} onChange={setTitle} asked={asked} />
      {failure === undefined ? null : <ErrorText error={failure} />}
      <Group justify="flex-end" gap={8}>
        <Button variant="default" disabled={busy} onClick={props.onBack}>
          {t('common.back')}
        </Button>
        <Button loading={busy} onClick={() => void start()}>
          {t('devices.remote.start')}
        </Button>
      </Group>
    </Stack>
  )
}
