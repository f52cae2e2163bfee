import { toHex } from '@leitstand/contract/downlinkPayload'
import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import classes from './downlinks.module.css'
import type { ValueFault } from './values.ts'

/** The encoded bytes, or the error. */
export function BytesPreview({ encoded }: { encoded: { bytes: Uint8Array } | ValueFault }) {
  const { t } = useTranslation()
  if ('bytes' in encoded) {
    const { bytes } = encoded
    return (
      <div className={classes.preview} aria-live="polite">
        <Text size="xs" c="dimmed">
          {t('downlinks.preview', { count: bytes.length })}
        </Text>
        <code className={classes.bytes}>
          {toHex(bytes)
            .replace(/..(?=.)/g, '$& ')
            .toUpperCase()}
        </code>
      </div>
    )
  }
  return (
    <div className={classes.preview} aria-live="polite">
      <Text size="sm" c="dimmed">
        {t(`validation.custom.${encoded.fault}`)}
      </Text>
    </div>
  )
}
