import { Button, FileInput, Group } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import type { ComponentProps } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../../ui/display/Icon.tsx'
import { ErrorText } from '../../../ui/feedback/ErrorText.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { FoundValues } from './FoundValues.tsx'

interface UploadFieldsProps {
  file: File | null
  onChoose: (file: File | null) => void
  /** the dry run */
  check: { data: (Preview & { values: number }) | undefined; error: Error | null; isPending: boolean }
  upload: { error: Error | null; isPending: boolean; mutate: (file: File) => void }
  onClose: () => void
}

type Preview = ComponentProps<typeof FoundValues>['preview']

/** A file with values: what it holds, what is wrong with it, and the buttons of the dialog. */
export function UploadFields({ file, onChoose, check, upload, onClose }: UploadFieldsProps) {
  const { t } = useTranslation()
  const failure = upload.error ?? check.error
  const count = check.data?.values ?? 0
  return (
    <>
      <FileInput
        label={t('valueUpload.file')}
        placeholder={t('valueUpload.choose')}
        accept=".csv,.xlsx,text/csv"
        clearable
        value={file}
        onChange={onChoose}
      />
      {failure ? <ErrorText error={failure} /> : null}
      {check.isPending ? <Loading lines={3} /> : null}
      {check.data ? <FoundValues preview={check.data} /> : null}
      <Group justify="flex-end" gap={8}>
        <Button variant="default" onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button
          leftSection={<Icon of={IconUpload} />}
          disabled={count === 0}
          loading={upload.isPending}
          onClick={() => file && upload.mutate(file)}
        >
          {t('valueUpload.upload', { count })}
        </Button>
      </Group>
    </>
  )
}
