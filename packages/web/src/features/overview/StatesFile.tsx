import { Menu } from '@mantine/core'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { currentLanguage } from '../../lib/i18n.ts'
import { useCan } from '../../lib/session.ts'
import { FileMenu } from '../../ui/list/FileMenu.tsx'
import { type FileFormat, saveWritten } from '../../ui/list/files.ts'
import type { ListParams } from '../../ui/list/types.ts'
import { UploadAcrossDialog } from '../twins/index.ts'
import { groupedInput, overviewInput } from './filters.ts'

/** All columns of all matching states as a file, written by the server; and values from a file. */
export function StatesFile({ params, grouped }: { params: ListParams; grouped: boolean }) {
  const { t } = useTranslation()
  const can = useCan()
  const writes = can('DigitalTwin', 'write') || can('VirtualDevice', 'write')
  const [uploading, setUploading] = useState(false)
  const save = async (format: FileFormat) => {
    const input = grouped ? groupedInput(params) : overviewInput(params)
    const { offset: _offset, limit: _limit, ...wanted } = input
    const file = await client.stateOverview.exportFile({ ...wanted, format, language: currentLanguage() })
    saveWritten(t('stateOverview.csvName'), format, file)
  }
  return (
    <>
      <FileMenu disabled={false} save={save} label={t('stateOverview.file')}>
        {writes ? (
          <>
            <Menu.Divider />
            <Menu.Item onClick={() => setUploading(true)}>{t('valueUpload.open')}</Menu.Item>
          </>
        ) : null}
      </FileMenu>
      {uploading ? (
        <Suspense fallback={null}>
          <UploadAcrossDialog onClose={() => setUploading(false)} />
        </Suspense>
      ) : null}
    </>
  )
}
