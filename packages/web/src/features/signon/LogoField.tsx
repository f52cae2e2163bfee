import { logoBytesMax } from '@leitstand/contract/sso'
import { FileInput, Group } from '@mantine/core'
import { IconPhoto, IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../ui/display/Icon.tsx'
import { RemoveButton } from '../../ui/forms/RemoveButton.tsx'
import classes from './sso.module.css'

interface LogoFieldProps {
  /** as `data:` URL */
  value: string | null
  onChange: (logo: string | null) => void
}

/** A small picture, stored unchanged. */
export function LogoField({ value, onChange }: LogoFieldProps) {
  const { t } = useTranslation()
  const [error, setError] = useState<string | null>(null)
  const choose = async (file: File | null) => {
    setError(null)
    if (!file) return
    if (file.size > logoBytesMax) setError(t('sso.logoTooLarge', { kb: Math.floor(logoBytesMax / 1024) }))
    else onChange(await addressOf(file))
  }
  return (
    <Group gap={8} wrap="nowrap" align="flex-end">
      <FileInput
        flex={1}
        label={t('sso.field.logo')}
        description={t('sso.logoHint')}
        placeholder={t(value ? 'sso.logoReplace' : 'sso.logoChoose')}
        accept="image/png,image/jpeg,image/webp"
        leftSection={
          value ? <img src={value} alt="" className={classes.buttonLogo} /> : <Icon of={IconPhoto} />
        }
        value={null}
        error={error}
        onChange={(file) => void choose(file)}
      />
      {value ? (
        <RemoveButton icon={IconX} size={36} label={t('sso.logoRemove')} onClick={() => onChange(null)} />
      ) : null}
    </Group>
  )
}

function addressOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })
}
