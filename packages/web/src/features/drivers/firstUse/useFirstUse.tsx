import { type ReactNode, Suspense, useState } from 'react'
import { client } from '../../../lib/api.ts'
import { onDemand } from '../../../lib/onDemand.ts'
import type { Driver } from '../queries.ts'

const FirstUseDialog = onDemand(() => import('./FirstUseDialog.tsx'))

/** The choice of a driver for devices of an account; without a version, the published one is used. */
interface Choice {
  driverId: number | null
  driverVersion: number | null
  accountId: number
}

interface Question {
  driver: Driver
  answer: (accepted: boolean) => void
}

/**
 * Asks before an account uses another account's driver for the first time.
 * @returns `ask`: the fields to save with the device, or null if the user declined; `dialog` to render
 */
export function useFirstUse(): {
  ask: (choice: Choice) => Promise<{ acceptDriver?: number } | null>
  dialog: ReactNode
} {
  const [question, setQuestion] = useState<Question | null>(null)
  const ask = async (choice: Choice) => {
    const driver = await strangerOf(choice)
    if (driver === null) return {}
    const accepted = await new Promise<boolean>((resolve) =>
      setQuestion({
        driver,
        answer: (accepts) => {
          setQuestion(null)
          resolve(accepts)
        },
      }),
    )
    return accepted ? { acceptDriver: driver.number } : null
  }
  const dialog = question ? (
    <Suspense fallback={null}>
      <FirstUseDialog
        driver={question.driver}
        onAccept={() => question.answer(true)}
        onCancel={() => question.answer(false)}
      />
    </Suspense>
  ) : null
  return { ask, dialog }
}

/** The version of another account's driver that has to be accepted; null: none. */
async function strangerOf({ driverId, driverVersion, accountId }: Choice): Promise<Driver | null> {
  if (driverId === null) return null
  const newest = await client.devicedrivers.get({ id: driverId })
  if (newest.delivered || newest.accountId === accountId || newest.publishedVersion === null) return null
  const { total } = await client.devicedrivers.acceptances({ id: driverId, accountId, limit: 1 })
  if (total > 0) return null
  const number = driverVersion ?? newest.publishedVersion
  return number === newest.number ? newest : client.devicedrivers.get({ id: driverId, number })
}
