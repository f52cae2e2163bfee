import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../display/Icon.tsx'
import { notifyError } from '../feedback/notify.ts'
import { download } from './csv.ts'

interface FileButtonProps {
  /** of the file, without extension */
  name: string
  /** extension of the file */
  format: 'csv' | 'xlsx'
  /** on the button */
  label: string
  load: () => Promise<{ body?: unknown }>
}

/** Exports everything the filter matches, written by the server: not only what the pages reach. */
export function FileButton({ name, format, label, load }: FileButtonProps) {
  const { t } = useTranslation()
  const [running, setRunning] = useState(false)
  const save = async () => {
    setRunning(true)
    try {
      const { body } = await load()
      if (!(body instanceof Blob)) throw new Error('the server sent no file')
      download(`${name}.${format}`, body)
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
