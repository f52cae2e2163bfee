import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { ConfirmDanger, ConfirmDialog } from '../../ui/feedback/ConfirmDanger.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { invalidateTemplates, type TemplateRow } from './queries.ts'

interface DeleteTemplateProps {
  template: Pick<TemplateRow, 'id' | 'title' | 'deviceCount'> | undefined
  onClose: () => void
  /** Leaves the page of the deleted template before other data is read again. */
  onDeleted?: () => Promise<void>
}

/** Deletes a template after the user types its title; if devices are linked, lists and links them instead. */
export function DeleteTemplate({ template, onClose, onDeleted }: DeleteTemplateProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const navigate = useNavigate()
  if (template && template.deviceCount > 0) {
    return (
      <ConfirmDialog
        opened
        title={t('templates.linkedTitle')}
        text={t('templates.linkedText', { count: template.deviceCount, title: template.title })}
        confirmLabel={t('templates.showDevices')}
        cancelLabel={t('common.close')}
        onCancel={onClose}
        onConfirm={() => {
          onClose()
          void navigate({ to: '/virtual-devices', search: { template: String(template.id) } })
        }}
      />
    )
  }
  return (
    <ConfirmDanger
      key={template?.id ?? 'none'}
      opened={template !== undefined}
      onClose={onClose}
      title={t('templates.deleteTitle', { title: template?.title ?? '' })}
      text={t('templates.deleteText')}
      confirmLabel={t('templates.delete')}
      {...(template ? { typeToConfirm: template.title } : {})}
      onConfirm={async () => {
        if (!template) return
        await client.deviceTemplate.delete({ id: template.id })
        notifySuccess(t('templates.deletedNote', { title: template.title }))
        await onDeleted?.()
        await invalidateTemplates(cache)
      }}
    />
  )
}
