import type { SmartGroup } from '@leitstand/contract/smartGroups'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { client } from '../../../lib/api.ts'
import { ConfirmDanger } from '../../../ui/feedback/ConfirmDanger.tsx'
import { notifySuccess } from '../../../ui/feedback/notify.ts'
import { dependenciesOf } from '../../objects/index.ts'
import { invalidateGroups } from './queries.ts'

/** Confirms deleting a smart group; what uses it prevents that. */
export function DeleteGroup(props: {
  group: Pick<SmartGroup, 'id' | 'title'> | undefined
  onClose: () => void
  onDeleted?: () => Promise<void>
}) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const { group, onClose, onDeleted } = props
  return (
    <ConfirmDanger
      key={group?.id ?? 'none'}
      opened={group !== undefined}
      onClose={onClose}
      title={t('smartGroups.deleteTitle', { title: group?.title ?? '' })}
      text={t('smartGroups.deleteText')}
      confirmLabel={t('smartGroups.delete')}
      {...(group
        ? { dependencies: { key: ['smartGroup', group.id], load: () => dependenciesOf('group', group.id) } }
        : {})}
      onConfirm={async () => {
        if (!group) return
        await client.smartGroup.delete({ id: group.id })
        notifySuccess(t('smartGroups.deleted', { title: group.title }))
        await onDeleted?.()
        await invalidateGroups(cache)
      }}
    />
  )
}
