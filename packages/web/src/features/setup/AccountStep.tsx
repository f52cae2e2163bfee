import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { CreateAccount } from '../accounts/index.ts'

/** The first account below the topmost one, with the dialog of the accounts page. */
export function AccountStep({ accountId, onMade }: { accountId: number; onMade: () => Promise<unknown> }) {
  const { t } = useTranslation()
  const [isOpen, setOpen] = useState(false)
  const parent = useQuery(api.tenant.get.queryOptions({ input: { id: accountId } }))
  if (parent.isLoadingError)
    return <ErrorState error={parent.error} onRetry={() => void parent.refetch()} compact />
  return (
    <>
      <Button leftSection={<Icon of={IconPlus} />} disabled={!parent.data} onClick={() => setOpen(true)}>
        {t('accounts.create')}
      </Button>
      {parent.data ? (
        <Suspense>
          <CreateAccount
            parent={parent.data}
            opened={isOpen}
            onClose={() => setOpen(false)}
            onMade={onMade}
          />
        </Suspense>
      ) : null}
    </>
  )
}
