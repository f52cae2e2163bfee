import { Anchor, Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { fieldIssues } from '../../../lib/errors.ts'
import { ErrorText } from '../../../ui/feedback/ErrorText.tsx'
import { RouterLink } from '../../../ui/page/RouterLink.tsx'
import { twinPath } from '../kinds.ts'

/**
 * Why a change of a twin failed, outside of the form with its polygon: old zones may lack one, and every change sends the
 * whole twin.
 */
export function TwinFailure({ id, error }: { id: number; error: unknown }) {
  const { t } = useTranslation()
  const issue = fieldIssues(error).find(({ path }) => path.startsWith('geoPolygon'))
  if (!issue) return <ErrorText error={error} />
  return (
    <Group gap={6} c="var(--health-error)" role="alert">
      <Text size="sm">{issue.message}</Text>
      <Anchor component={RouterLink} size="sm" to={`${twinPath(id)}?tab=data`}>
        {t('geoPolygon.toMasterData')}
      </Anchor>
    </Group>
  )
}
