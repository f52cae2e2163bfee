import { Modal, Stack, Text } from '@mantine/core'
import { IconPencil, IconReplace, IconTrash } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { ConfirmDanger } from '../../ui/feedback/ConfirmDanger.tsx'
import { notifyError, notifySuccess } from '../../ui/feedback/notify.ts'
import { ActionMenu } from '../../ui/page/ActionMenu.tsx'
import classes from './groups.module.css'
import type { SavedKind, SavedView } from './kinds.ts'
import SaveFilter from './SaveFilter.tsx'

/**
 * Saved filters with their actions.
 * @param filter the list's current filter, which can replace a saved one
 */
export default function ManageFilters(props: {
  kind: SavedKind<object>
  views: readonly SavedView<object>[]
  filter: object | undefined
  onClose: () => void
}) {
  const { t } = useTranslation()
  const { kind, views, filter, onClose } = props
  const cache = useQueryClient()
  const [renamed, setRenamed] = useState<SavedView<object>>()
  const [doomed, setDoomed] = useState<SavedView<object>>()
  const refresh = () => cache.invalidateQueries({ queryKey: kind.key() })
  const replace = useMutation({
    mutationFn: ({ id, version, title }: SavedView<object>) =>
      filter ? kind.update({ id, version, title, filter }) : Promise.resolve(),
    onSuccess: async (_, { title }) => {
      await refresh()
      notifySuccess(t('devices.saved.savedNote', { title }))
    },
    onError: (error) => notifyError(error),
  })
  const remove = async (id: number) => {
    await kind.delete(id)
    await refresh()
    if (views.length === 1) onClose()
  }
  if (renamed) {
    return (
      <SaveFilter kind={kind} view={renamed} filter={renamed.filter} onClose={() => setRenamed(undefined)} />
    )
  }
  return (
    <>
      <Modal opened onClose={onClose} title={t('devices.saved.title')} centered>
        <Stack gap={0}>
          {views.map((view) => (
            <div key={view.id} className={classes.savedRow}>
              <div className={classes.savedName}>
                <Text size="sm">{view.title}</Text>
                <Text size="xs" c="dimmed" component="div">
                  <RelativeTime time={view.updatedAt} dimmed />
                  {view.shared ? ` · ${t('devices.saved.shared')}` : null}
                </Text>
              </div>
              <ActionMenu
                label={t('devices.saved.actionsOf', { title: view.title })}
                variant="subtle"
                actions={[
                  {
                    label: t('devices.saved.rename'),
                    icon: IconPencil,
                    onClick: () => setRenamed(view),
                  },
                  {
                    label: t('devices.saved.replace'),
                    icon: IconReplace,
                    onClick: () => replace.mutate(view),
                    hidden: filter === undefined,
                  },
                  {
                    label: t('devices.saved.delete'),
                    icon: IconTrash,
                    danger: true,
                    onClick: () => setDoomed(view),
                  },
                ]}
              />
            </div>
          ))}
        </Stack>
      </Modal>
      {doomed ? (
        <ConfirmDanger
          opened
          onClose={() => setDoomed(undefined)}
          title={t('devices.saved.deleteTitle', { title: doomed.title })}
          text={t('devices.saved.deleteText')}
          confirmLabel={t('devices.saved.delete')}
          onConfirm={() => remove(doomed.id)}
        />
      ) : null}
    </>
  )
}
