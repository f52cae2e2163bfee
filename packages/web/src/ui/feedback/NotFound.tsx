import { Button } from '@mantine/core'
import { IconArrowLeft, IconFileUnknown } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { describeError } from '../../lib/errors.ts'
import { Icon } from '../display/Icon.tsx'
import { EmptyState } from './EmptyState.tsx'

/**
 * Whether the requested object does not exist (404, also if the user may not see it) or the address is
 * invalid (400): a retry would not help.
 */
export function isMissing(error: unknown): boolean {
  const { status } = describeError(error)
  return status === 404 || status === 400
}

/** Page for a missing object: possible reasons, and a link to the list. */
export function NotFound({ error, listPath }: { error: unknown; listPath: string }) {
  const { t } = useTranslation()
  const { status, text } = describeError(error)
  return (
    <EmptyState
      order={1}
      icon={IconFileUnknown}
      title={t('common.notFound')}
      text={status === 404 ? `${text} ${t('common.notFoundHint')}` : t('common.notFoundHint')}
      action={
        <Button
          leftSection={<Icon of={IconArrowLeft} size={16} />}
          renderRoot={(root) => <Link {...root} to={listPath} />}
        >
          {t('common.toList')}
        </Button>
      }
    />
  )
}
