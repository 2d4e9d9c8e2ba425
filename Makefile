# Everything the lab can do. Without make: README.md gives the go command behind each target.
.DEFAULT_GOAL := help
NUMBERS := 1 2 3 4 5 6 7 8
WORKSHOP := $(foreach verb,exercise hint compare reset watch,$(addprefix $(verb),$(NUMBERS)))
.PHONY: help beyond stage1 stage2 stage3 stage4 stage5 diff2 diff3 diff4 diff5 $(WORKSHOP) progress race matrix explore replay growth bench-explore test test-redis soak peers bench check docs lab

LAB := .build/lab

# An exercise that does not compile yet stops nothing else.
ALL_PACKAGES = $(shell go list -e ./... | grep -v /exercise)

# Real servers and real time have a target of their own.
PACKAGES = $(filter-out %/realredis,$(ALL_PACKAGES))

help:
	@echo 'Lessons   make stage1 ... make stage5      one lesson each'
	@echo '          make diff2 ... make diff5        the change from the stage before'
	@echo 'Exercises make exercise1 ... exercise5     judge the lock that you have written'
	@echo '          make hint1, make hint1 N=2       three hints for each'
	@echo '          make watch1                      judge on every save'
	@echo '          make compare1, make reset1       with an answer; the starter again'
	@echo '          make exercise6 ... exercise8     faults of the articles'
	@echo '          make progress                    which are done'
	@echo 'Races     make race RACE=gc-pause STAGE=2  one race on one lock'
	@echo '          make race                        the names of all races and locks'
	@echo '          make matrix                      every race on every lock, now'
	@echo '          make beyond                      what no stage can do, and what can'
	@echo 'Explorer  make explore STAGE=3             every order of steps; more with'
	@echo '               ACTORS=3 EXPIRIES=2 FAULTS=1'
	@echo '          make replay STAGE=2 SCHEDULE=AAAtBA   one story, drawn again'
	@echo 'Tests     make test                        everything, with race detector'
	@echo '          make test-redis                  the same on real servers: minutes'
	@echo '          make soak                        50 processes, random kills: a minute'
	@echo '          make check                       format, vet, staticcheck, documents'
	@echo 'Libraries make peers                       the same races on redsync and others'
	@echo '          make bench                       what it all costs: minutes'
	@echo 'Writing   make docs                        the documents'"'"' tables, from a run'
	@echo '          make growth, make bench-explore  numbers of simulations/README.md'

# The lab is a test binary, because its clock exists only in a test.
lab:
	@go test -c -o $(LAB) ./simulations/lab

stage1 stage2 stage3 stage4 stage5: lab
	@$(LAB) lesson $(@:stage%=%)

diff2 diff3 diff4 diff5: lab
	@$(LAB) diff $(@:diff%=%)

matrix docs progress beyond: lab
	@$(LAB) $@

export RACE STAGE ACTORS EXPIRIES FAULTS SCHEDULE N

$(filter exercise%,$(WORKSHOP)): lab
	@$(LAB) exercise $(@:exercise%=%) "$$RACE$$SCHEDULE"

$(filter hint%,$(WORKSHOP)): lab
	@$(LAB) hint $(@:hint%=%) "$$N"

$(filter compare%,$(WORKSHOP)): lab
	@$(LAB) compare $(@:compare%=%)

$(filter reset%,$(WORKSHOP)): lab
	@$(LAB) reset $(@:reset%=%)

$(filter watch%,$(WORKSHOP)): lab
	@$(LAB) watch $(@:watch%=%)

explore: lab
	@$(LAB) explore "$$STAGE" "$$ACTORS" "$$EXPIRIES" "$$FAULTS"

replay: lab
	@$(LAB) replay "$$STAGE" "$$SCHEDULE" "$$ACTORS"

growth: lab
	@$(LAB) growth

bench-explore:
	go test -run '^$$' -bench 'Explore|Floor' -benchtime 1x ./simulations

# Other libraries, and what it costs: a module of its own.
peers:
	@command -v redis-server > /dev/null || echo 'redis-server is not installed, and one column is not played'
	@cd simulations/peers && go test -c -o ../../.build/peers . && \
		../../.build/peers -test.run '^TestShow$$' -show "$${RACE:-all}" $(if $(SAVE),-save)

bench:
	@command -v redis-server > /dev/null || { echo 'redis-server is not installed: apt-get install redis-server, or brew install redis'; exit 1; }
	@cd simulations/peers && go test -c -o ../../.build/bench ./bench && \
		../../.build/bench -test.run '^TestMeasure$$' -test.timeout 10m -measure $(if $(SAVE),-save)

race:
	@go test -count=1 -v -timeout 30s -run '^TestRace$$' ./simulations \
		-args -race "$${RACE:-?}" -stage "$${STAGE:-?}"

# The race detector needs a C compiler; without one everything else still runs.
DETECTOR = $(if $(filter 1,$(shell go env CGO_ENABLED)),$(if $(shell command -v $(firstword $(shell go env CC))),-race))

test:
	@$(if $(DETECTOR),:,echo 'No C compiler: testing without the race detector.')
	go test $(DETECTOR) $(PACKAGES)

test-redis:
	@command -v redis-server > /dev/null || echo 'redis-server is not installed, and the tests skip: apt-get install redis-server, or brew install redis'
	go test -count=1 -parallel 6 -timeout 20m ./simulations/realredis

soak:
	@go test -count=1 -v -timeout 10m -run '^TestSoak$$' ./simulations/realredis -args -soak 60s

check: lab
	@bad=$$(gofmt -l . 2>/dev/null | grep -v /exercise); if [ -n "$$bad" ]; then echo "gofmt -w these:"; echo "$$bad"; exit 1; fi
	go vet $(ALL_PACKAGES)
	go tool -modfile=.ci/tools.mod staticcheck $(ALL_PACKAGES)
	go mod tidy -diff
	$(LAB) exercises-check
	go test -count=1 -run TestAnswers ./simulations/workshop -args -answers
	go test -count=1 ./simulations/beyond -args -thorough
	cd simulations/peers && go vet ./... && $$(cd ../.. && go tool -n -modfile=.ci/tools.mod staticcheck) ./... && go mod tidy -diff && go test -count=1 ./...
	$(LAB) docs-check
