import { Button, Group, Stack, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../ui/display/CopyButton.tsx'
import { Icon } from '../../ui/display/Icon.tsx'
import classes from './auth.module.css'

/** Recovery codes, shown only once, to copy or save as a file. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const { t } = useTranslation()
  const text = `${codes.join('\n')}\n`
  const keep = () => {
    const address = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
    const link = document.createElement('a')
    link.href = address
    link.download = 'leitstand-recovery-codes.txt'
    link.click()
    URL.revokeObjectURL(address)
  }
  return (
    <Stack gap="md">
      <Text size="sm">{t('auth.twoFactor.codesText')}</Text>
      <ul className={classes.codes} aria-label={t('auth.twoFactor.codes')}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Group justify="space-between">
        <Group gap={8}>
          <Button variant="default" leftSection={<Icon of={IconDownload} />} onClick={keep}>
            {t('auth.twoFactor.keep')}
          </Button>
          <CopyButton value={text} size={32} />
        </Group>
        <Button onClick={onDone}>{t('auth.twoFactor.done')}</Button>
      </Group>
    </Stack>
  )
}
