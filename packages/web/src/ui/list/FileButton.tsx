import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../display/Icon.tsx'
import { notifyError } from '../feedback/notify.ts'
import { type FileFormat, saveWritten, type WrittenFile } from './files.ts'

interface FileButtonProps {
  /** of the file, without extension */
  name: string
  format: FileFormat
  /** on the button */
  label: string
  load: () => Promise<WrittenFile>
}

/** Exports everything the filter matches, written by the server: not only what the pages reach. */
export function FileButton({ name, format, label, load }: FileButtonProps) {
  const { t } = useTranslation()
  const [running, setRunning] = useState(false)
  const save = async () => {
    setRunning(true)
    try {
      saveWritten(name, format, await load())
    } catch (error) {
      notifyError(error, t('list.fileFailed'))
    } finally {
      setRunning(false)
    }
  }
  return (
    <Button
      variant="default"
      leftSection={<Icon of={IconDownload} />}
      loading={running}
      onClick={() => void save()}
    >
      {label}
    </Button>
  )
}
