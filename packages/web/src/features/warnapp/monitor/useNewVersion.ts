import { useEffect, useState } from 'react'

const lookEveryMs = 10 * 60_000

/** Whether the server has another version of the console than the one that runs here. */
export function useNewVersion(): boolean {
  const [isNew, setNew] = useState(false)
  useEffect(() => {
    const script = document.querySelector<HTMLScriptElement>('script[type=module][src]')?.getAttribute('src')
    if (!script) return
    const look = async () => {
      const answer = await fetch(location.pathname, { cache: 'no-store' }).catch(() => undefined)
      if (answer?.ok && !(await answer.text()).includes(script)) setNew(true)
    }
    const timer = setInterval(() => void look(), lookEveryMs)
    return () => clearInterval(timer)
  }, [])
  return isNew
}
