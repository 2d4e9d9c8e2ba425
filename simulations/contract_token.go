package simulations

// wholeToken: a token that differs in its last letter is somebody else's. A lock whose
// value is no token (stage 1) has nothing to compare.
func (tr *trial) wholeToken() {
	p := tr.process()
	tr.take(p, lease)
	token := tr.redis.Get(tr.ctx, tr.key()).Val()
	if len(token) < 16 {
		tr.NoError(p.Unlock(tr.ctx))
		return
	}
	last := "A"
	if token[len(token)-1] == 'A' {
		last = "B"
	}
	other := token[:len(token)-1] + last
	tr.NoError(tr.redis.Set(tr.ctx, tr.key(), other, lease).Err())
	tr.ErrorIs(p.Unlock(tr.ctx), tr.errs.NotHeld)
	tr.Equal(other, tr.redis.Get(tr.ctx, tr.key()).Val())
	tr.NoError(tr.redis.Del(tr.ctx, tr.key()).Err())
}
