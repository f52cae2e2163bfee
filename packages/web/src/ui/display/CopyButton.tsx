import { ActionIcon } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { notifyError } from '../feedback/notify.ts'
import { Icon } from './Icon.tsx'

/**
 * Copies a text; the icon turns into a tick for a moment, and a refusal by the browser is reported. Uses the
 * browser's own tooltip: error pages contain the button, and the first load has no floating elements.
 */
export function CopyButton({ value, label, size = 24 }: { value: string; label?: string; size?: number }) {
  const { t } = useTranslation()
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return undefined
    const timer = setTimeout(() => setCopied(false), 1500)
    return () => clearTimeout(timer)
  }, [copied])
  const text = copied ? t('common.copied') : (label ?? t('common.copy'))
  return (
    <ActionIcon
      size={size}
      aria-label={text}
      title={text}
      onClick={async () => {
        try {
          await navigator.clipboard.writeText(value)
          setCopied(true)
        } catch (error) {
          notifyError(error, t('common.copyFailed'))
        }
      }}
    >
      <Icon of={copied ? IconCheck : IconCopy} size={size > 26 ? 18 : 15} />
    </ActionIcon>
  )
}
