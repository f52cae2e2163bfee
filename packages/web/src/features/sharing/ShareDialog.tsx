import type { Share } from '@leitstand/contract/sharing'
import { Alert, Button, FocusTrap, Group, List, Stack, Text } from '@mantine/core'
import { IconWorld } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { ConfirmDanger } from '../../ui/feedback/ConfirmDanger.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { FormModal } from '../../ui/forms/FormModal.tsx'
import { ShareForm } from './ShareForm.tsx'
import { ShareLinks } from './ShareLinks.tsx'

type Kind = Share['kind']

interface ShareDialogProps {
  kind: Kind
  id: number
  title: string
  onClose: () => void
}

const operationsOf = (kind: Kind) =>
  kind === 'twin'
    ? { api: api.sharing, client: client.sharing }
    : { api: api.dashboardSharing, client: client.dashboardSharing }

/** Creates, shows, changes and ends the public link to a twin or dashboard. */
export default function ShareDialog({ kind, id, title, onClose }: ShareDialogProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [editing, setEditing] = useState(false)
  const [ending, setEnding] = useState(false)
  const on = operationsOf(kind)
  const options = on.api.findExistingKey.queryOptions({ input: { id }, staleTime: 0 })
  const may = useQuery(on.api.canShare.queryOptions({ input: { id } }))
  const query = useQuery({ ...options, enabled: may.data?.canShare === true })
  const put = (share: Share | null) => cache.setQueryData(options.queryKey, { share })
  const share = query.data?.share as Share | null | undefined
  const failed = may.error ?? query.error
  return (
    <FormModal
      opened
      onClose={onClose}
      title={t('sharing.titleOf', { title })}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      size="lg"
      centered
    >
      {/* What comes first is still being loaded; it must not be the cross that has the focus. */}
      <FocusTrap.InitialFocus />
      {failed ? (
        <ErrorState error={failed} onRetry={() => void (may.error ? may : query).refetch()} compact />
      ) : may.data && !may.data.canShare ? (
        <Alert variant="light" color="gray" icon={<Icon of={IconWorld} />}>
          {t(`sharing.not.${may.data.reason ?? 'permission'}`)}
        </Alert>
      ) : share === undefined ? (
        <Loading lines={5} />
      ) : share === null ? (
        <Stack gap="md">
          <Seen kind={kind} />
          <ShareForm
            share={null}
            onClose={onClose}
            save={(settings) => on.client.createKey({ id, ...settings })}
            onSaved={(made) => {
              put(made)
              notifySuccess(t('sharing.created'))
            }}
          />
        </Stack>
      ) : editing ? (
        <ShareForm
          share={share}
          onClose={() => setEditing(false)}
          save={(settings) => on.client.updateKey({ id, ...settings })}
          onSaved={(changed) => {
            put(changed)
            setEditing(false)
            notifySuccess(t('common.saved'))
          }}
        />
      ) : (
        <Stack gap="md">
          <ShareLinks share={share} />
          <Facts share={share} />
          <Group justify="space-between" gap={8}>
            <Button variant="outline" color="red" onClick={() => setEnding(true)}>
              {t('sharing.end')}
            </Button>
            <Button variant="default" onClick={() => setEditing(true)}>
              {t('sharing.edit')}
            </Button>
          </Group>
        </Stack>
      )}
      <ConfirmDanger
        opened={ending}
        onClose={() => setEnding(false)}
        title={t('sharing.endTitle')}
        text={t('sharing.endText')}
        confirmLabel={t('sharing.end')}
        onConfirm={async () => {
          await on.client.deleteKey({ id })
          put(null)
          notifySuccess(t('sharing.ended'))
        }}
      />
    </FormModal>
  )
}

/** What visitors will see, and what not. */
function Seen({ kind }: { kind: Kind }) {
  const { t } = useTranslation()
  return (
    <div>
      <Text size="sm" mb={6}>
        {t(`sharing.about.${kind}`)}
      </Text>
      <List size="sm" spacing={2}>
        <List.Item>{t('sharing.readOnly')}</List.Item>
        <List.Item>{t(`sharing.hidden.${kind}`)}</List.Item>
        <List.Item>{t('sharing.isKey')}</List.Item>
      </List>
    </div>
  )
}

function Facts({ share }: { share: Share }) {
  const { t } = useTranslation()
  const facts = [
    share.validUntil
      ? t('sharing.validUntil', { time: formatTime(share.validUntil) })
      : t('sharing.unlimited'),
    t(share.hasPassword ? 'sharing.withPassword' : 'sharing.withoutPassword'),
    share.lastUsedAt ? t('sharing.lastUsed', { time: formatTime(share.lastUsedAt) }) : t('sharing.neverUsed'),
    t('sharing.createdBy', { name: share.createdBy, time: formatTime(share.createdAt) }),
  ]
  return (
    <Text size="xs" c="dimmed">
      {facts.join(' · ')}
    </Text>
  )
}
