import type { MovePreview } from '@leitstand/contract/twins'
import { Alert, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'

const sides = ['gains', 'loses', 'changes'] as const

/** What moving a twin changes: what moves with it, and who gains or loses access. */
export default function MoveEffects({ id, parentId }: { id: number; parentId: string | null }) {
  const { t } = useTranslation()
  const preview = useQuery(
    api.digitaltwin.movePreview.queryOptions({
      input: { id, ...(parentId === null ? {} : { parentId: Number(parentId) }) },
    }),
  )
  if (preview.isError) return <ErrorText error={preview.error} />
  if (!preview.data) return <Loading lines={2} />
  const { twins, devices, ...holders } = preview.data
  const concerned = sides.filter((side) => holders[side].total > 0)
  return (
    <Alert color={concerned.length > 0 ? 'yellow' : 'gray'} title={t('twins.moveEffects.title')}>
      <Stack gap={4}>
        <Text size="sm">
          {t('twins.moveEffects.twins', { count: twins })}
          {devices > 0 ? ` ${t('twins.moveEffects.devices', { count: devices })}` : ''}
        </Text>
        {concerned.length === 0 ? <Text size="sm">{t('twins.moveEffects.sameRights')}</Text> : null}
        {concerned.map((side) => (
          <Text key={side} size="sm">
            {t(`twins.moveEffects.${side}`, { count: holders[side].total })}
            <Names holders={holders[side]} />
          </Text>
        ))}
      </Stack>
    </Alert>
  )
}

function Names({ holders: { items, total } }: { holders: MovePreview['gains'] }) {
  const { t } = useTranslation()
  if (items.length === 0) return null
  const more = total - items.length
  return (
    <>
      : {items.map(({ title }) => title).join(', ')}
      {more > 0 ? ` ${t('twins.moveEffects.more', { count: more })}` : ''}
    </>
  )
}
