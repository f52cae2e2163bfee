import { useTranslation } from 'react-i18next'
import { EmptyState } from '../../../../ui/feedback/EmptyState.tsx'

export default function NotBuilt() {
  const { t } = useTranslation()
  return <EmptyState title={t('dashboards.unknownWidget')} text={t('dashboards.unknownWidgetText')} compact />
}
