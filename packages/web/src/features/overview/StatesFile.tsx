import { ActionIcon, Loader, Menu, Tooltip } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { currentLanguage } from '../../lib/i18n.ts'
import { useCan } from '../../lib/session.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { notifyError } from '../../ui/feedback/notify.ts'
import { download } from '../../ui/list/csv.ts'
import type { ListParams } from '../../ui/list/types.ts'
import { UploadAcrossDialog } from '../twins/index.ts'
import { groupedInput, overviewInput } from './filters.ts'

const formats = ['xlsx', 'csv'] as const

/** All columns of all matching states as a file, written by the server. */
export function StatesFile({ params, grouped }: { params: ListParams; grouped: boolean }) {
  const { t } = useTranslation()
  const can = useCan()
  const writes = can('DigitalTwin', 'write') || can('VirtualDevice', 'write')
  const [uploading, setUploading] = useState(false)
  const saving = useMutation({
    mutationFn: async (format: (typeof formats)[number]) => {
      const {
        offset: _offset,
        limit: _limit,
        ...wanted
      } = grouped ? groupedInput(params) : overviewInput(params)
      const input = { ...wanted, language: currentLanguage() }
      const { body } = await (format === 'csv'
        ? client.stateOverview.exportCsv(input)
        : client.stateOverview.exportXlsx(input))
      if (!(body instanceof Blob)) throw new Error('the server sent no file')
      download(`${t('stateOverview.csvName')}.${format}`, body)
    },
    onError: (error) => notifyError(error, t('stateOverview.fileFailed')),
  })
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Tooltip label={t('stateOverview.file')}>
            <ActionIcon
              variant="default"
              size={34}
              aria-label={t('stateOverview.file')}
              disabled={saving.isPending}
            >
              {saving.isPending ? <Loader size={16} /> : <Icon of={IconDownload} />}
            </ActionIcon>
          </Tooltip>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{t('stateOverview.fileHint')}</Menu.Label>
          {formats.map((format) => (
            <Menu.Item key={format} onClick={() => saving.mutate(format)}>
              {t(`valueExport.formats.${format}`)}
            </Menu.Item>
          ))}
          {writes ? (
            <>
              <Menu.Divider />
              <Menu.Item onClick={() => setUploading(true)}>{t('valueUpload.open')}</Menu.Item>
            </>
          ) : null}
        </Menu.Dropdown>
      </Menu>
      {uploading ? (
        <Suspense fallback={null}>
          <UploadAcrossDialog onClose={() => setUploading(false)} />
        </Suspense>
      ) : null}
    </>
  )
}
