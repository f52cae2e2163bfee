import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'

export default function EmptyHint() {
  const { t } = useTranslation()
  return (
    <Text size="sm" c="dimmed">
      {t('dashboards.emptyHint')}
    </Text>
  )
}
