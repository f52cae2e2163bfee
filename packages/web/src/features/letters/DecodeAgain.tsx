import { Button } from '@mantine/core'
import { IconRestore } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { onDemand } from '../../lib/onDemand.ts'
import { useCan } from '../../lib/session.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import type { DecodeTarget } from './selection.ts'

const DecodeDialog = onDemand(() => import('./DecodeDialog.tsx'))

/** A button that opens decoding stored packets again; hidden without permission. */
export function DecodeAgain({ target }: { target: DecodeTarget }) {
  const { t } = useTranslation()
  const can = useCan()
  const [state, setState] = useState<'closed' | 'opened' | 'closing'>('closed')
  if (!can('VirtualDevice', 'write') && !can('VirtualDevice', 'manage')) return null
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={<Icon of={IconRestore} size={14} />}
        onClick={() => setState('opened')}
      >
        {t('decoding.open')}
      </Button>
      {state === 'closed' ? null : (
        <Suspense fallback={null}>
          <DecodeDialog
            target={state === 'opened' ? target : undefined}
            onClose={() => setState('closing')}
            onClosed={() => setState('closed')}
          />
        </Suspense>
      )}
    </>
  )
}
