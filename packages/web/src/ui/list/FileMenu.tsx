import { ActionIcon, Menu, Tooltip } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../display/Icon.tsx'
import { notifyError } from '../feedback/notify.ts'
import { type FileFormat, fileFormats, formatNames } from './files.ts'

interface FileMenuProps {
  disabled: boolean
  save: (format: FileFormat) => Promise<void>
  /** default: "Download" */
  label?: string
  /** further entries */
  children?: ReactNode
}

/** Downloads a list in the format that is chosen. */
export function FileMenu({ disabled, save, label, children }: FileMenuProps) {
  const { t } = useTranslation()
  const [running, setRunning] = useState(false)
  const name = label ?? t('list.download')
  const start = async (format: FileFormat) => {
    setRunning(true)
    try {
      await save(format)
    } catch (error) {
      notifyError(error, t('list.fileFailed'))
    } finally {
      setRunning(false)
    }
  }
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Tooltip label={name}>
          <ActionIcon variant="default" size={34} aria-label={name} loading={running} disabled={disabled}>
            <Icon of={IconDownload} />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        {fileFormats.map((format) => (
          <Menu.Item key={format} onClick={() => void start(format)}>
            {formatNames[format]}
          </Menu.Item>
        ))}
        {children}
      </Menu.Dropdown>
    </Menu>
  )
}
