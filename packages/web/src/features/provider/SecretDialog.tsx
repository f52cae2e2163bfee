import type { Application } from '@leitstand/contract'
import { Button, Code, Group, Modal, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../ui/display/CopyButton.tsx'

/** An application with its secret; a public one has none. */
export interface Shown {
  application: Application
  secret: string | null
}

/** What the application's developer needs: its id, its secret (shown only once), and the endpoints. */
export function SecretDialog({ shown, onClose }: { shown: Shown; onClose: () => void }) {
  const { t } = useTranslation()
  return (
    <Modal
      opened
      onClose={onClose}
      title={shown.application.title}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      closeOnClickOutside={false}
      size="lg"
      centered
    >
      <Stack gap="md">
        <Text size="sm">{t(shown.secret === null ? 'applications.madePublic' : 'applications.made')}</Text>
        <Addresses clientId={shown.application.clientId} secret={shown.secret} />
        <Group justify="flex-end">
          <Button onClick={onClose}>
            {t(shown.secret === null ? 'common.close' : 'applications.secretDone')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

/** Settings an OAuth library needs. */
export function Addresses({ clientId, secret = null }: { clientId: string; secret?: string | null }) {
  const { t } = useTranslation()
  return (
    <Stack gap={10}>
      <Value label={t('applications.field.issuer')} value={`${window.location.origin}/oauth2`} />
      <Value label={t('applications.field.clientId')} value={clientId} />
      {secret === null ? null : <Value label={t('applications.field.secret')} value={secret} />}
    </Stack>
  )
}

function Value({ label, value }: { label: string; value: string }) {
  const { t } = useTranslation()
  return (
    <div>
      <Text size="xs" c="dimmed" mb={2}>
        {label}
      </Text>
      <Group gap={6} wrap="nowrap">
        <Code block style={{ flex: 1, minWidth: 0, whiteSpace: 'pre-wrap', wordBreak: 'break-all' }}>
          {value}
        </Code>
        <CopyButton value={value} size={32} label={t('applications.copy', { what: label })} />
      </Group>
    </div>
  )
}
