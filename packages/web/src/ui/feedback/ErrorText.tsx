import { Group, Text } from '@mantine/core'
import { IconAlertCircle } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { describeError } from '../../lib/errors.ts'
import { CopyButton } from '../display/CopyButton.tsx'
import { Icon } from '../display/Icon.tsx'

/** An error in one line, for forms and dialogs; with the request id to copy. */
export function ErrorText({ error }: { error: unknown }) {
  const { t } = useTranslation()
  const info = describeError(error)
  return (
    <Group gap={6} wrap="nowrap" c="var(--health-error)" role="alert">
      <Icon of={IconAlertCircle} />
      <Text size="sm">{info.text}</Text>
      {info.requestId ? <CopyButton value={info.requestId} label={t('common.copyRequestId')} /> : null}
    </Group>
  )
}
