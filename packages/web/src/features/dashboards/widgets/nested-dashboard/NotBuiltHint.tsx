import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'

export default function NotBuiltHint() {
  const { t } = useTranslation()
  return (
    <Text size="sm" c="dimmed">
      {t('dashboards.unknownWidgetText')}
    </Text>
  )
}
